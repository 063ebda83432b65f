/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include "semantics.h"
#include "threads.h"
#include "tool.h"

#define STATIC_SCHEMA                                                                              \
    (NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |                \
     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE)
#define DYNAMIC_SCHEMA (STATIC_SCHEMA & ~NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE)

/* Returns 1, 0 if there is none of this key, -1 with an exception. */
static int find(struct domain *domain, PyObject *key, uint64_t *id)
{
    PyObject *found = PyDict_GetItemWithError(domain->schemas, key);
    if (found == NULL)
        return PyErr_Occurred() != NULL ? -1 : 0;
    *id = PyLong_AsUnsignedLongLong(found);
    return 1;
}

/* Keeps an id under a key, once a tool has given one. Returns 0, or -1 with an exception. */
static int keep(struct domain *domain, PyObject *key, uint64_t id)
{
    if (id == 0 || !nvtx_is_heard()) /* another thread may have detached the tool */
        return 0;
    PyObject *value = PyLong_FromUnsignedLongLong(id);
    int status = value != NULL ? PyDict_SetItem(domain->schemas, key, value) : -1;
    Py_XDECREF(value);
    return status;
}

/* Unless another thread has added it; keys are str, int and tuples of them. Returns 0, or -1 with
 * an exception. */
static int add(struct domain *domain, PyObject *key, const nvtxPayloadSchemaAttr_t *attributes,
               uint64_t *id)
{
    guard_lock(&domain->mutex);
    int status = PYTHON_HAS_GIL ? 0 : find(domain, key, id);
    if (status == 0) {
        *id = nvtxPayloadSchemaRegister(domain->handle, attributes);
        status = keep(domain, key, *id);
    }
    guard_unlock(&domain->mutex);
    return status < 0 ? -1 : 0;
}

static int add_scope(struct domain *domain, PyObject *key, const nvtxScopeAttr_t *attributes,
                     uint64_t *id)
{
    guard_lock(&domain->mutex);
    int status = PYTHON_HAS_GIL ? 0 : find(domain, key, id);
    if (status == 0) {
        *id = nvtxScopeRegister(domain->handle, attributes);
        status = keep(domain, key, *id);
    }
    guard_unlock(&domain->mutex);
    return status < 0 ? -1 : 0;
}

/* Finds the schema of a key, or registers it; key is used up, and may be NULL with an exception. */
static int find_or_add(struct domain *domain, PyObject *key,
                       const nvtxPayloadSchemaAttr_t *attributes, uint64_t *id)
{
    if (key == NULL)
        return -1;
    int status = find(domain, key, id);
    if (status == 0)
        status = add(domain, key, attributes, id);
    Py_DECREF(key);
    return status < 0 ? -1 : 0;
}

int nvtx_plain_schema(struct domain *domain, const struct plain *plain, uint64_t *id)
{
    const nvtxPayloadSchemaEntry_t entry = {.flags = plain->flags,
                                            .type = plain->type,
                                            .name = plain->name,
                                            .arrayOrUnionDetail = plain->length};
    const nvtxPayloadSchemaAttr_t attributes = {.fieldMask = STATIC_SCHEMA,
                                                .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                                .entries = &entry,
                                                .numEntries = 1,
                                                .payloadStaticSize = plain->size};
    return find_or_add(domain, PyUnicode_FromString(plain->name), &attributes, id);
}

int nvtx_array_schema(struct domain *domain, uint64_t of, uint64_t *id)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64, .name = "size"},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, .type = of, .name = "data"}};
    const nvtxPayloadSchemaAttr_t attributes = {.fieldMask = DYNAMIC_SCHEMA,
                                                .type = NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC,
                                                .entries = entries,
                                                .numEntries = 2};
    return find_or_add(domain, PyLong_FromUnsignedLongLong(of), &attributes, id);
}

/* ---- For Python ---- */

static int read_entry(PyObject *item, nvtxPayloadSchemaEntry_t *entry,
                      nvtxSemanticsCounter_t *semantics)
{
    PyObject *meaning;
    unsigned long long flags, type, length, offset;
    if (!PyArg_ParseTuple(item, "KKzKKO", &flags, &type, &entry->name, &length, &offset, &meaning))
        return -1;
    entry->flags = flags;
    entry->type = type;
    entry->arrayOrUnionDetail = length;
    entry->offset = offset;
    if (meaning == Py_None)
        return 0;
    entry->semantics = &semantics->header;
    return nvtx_read_semantics(meaning, semantics);
}

PyObject *nvtx_find_schema(PyObject *module, PyObject *args)
{
    PyObject *domain, *key;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &domain, &key))
        return NULL;
    PyObject *found = PyDict_GetItemWithError(((struct domain *)domain)->schemas, key);
    if (found == NULL && PyErr_Occurred())
        return NULL;
    return Py_NewRef(found != NULL ? found : Py_None);
}

PyObject *nvtx_register_schema(PyObject *module, PyObject *args)
{
    PyObject *domain, *key, *items;
    unsigned long long flags, size;
    uint64_t id;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOKKO!", &domain, &key, &flags, &size, &PyList_Type, &items))
        return NULL;
    size_t n = (size_t)PyList_GET_SIZE(items);
    nvtxPayloadSchemaEntry_t *entries = PyMem_Calloc(n + 1, sizeof(*entries));
    nvtxSemanticsCounter_t *semantics = PyMem_Calloc(n + 1, sizeof(*semantics));
    int status = entries != NULL && semantics != NULL ? 0 : -1;
    if (status != 0)
        PyErr_NoMemory();
    for (size_t i = 0; status == 0 && i < n; i++)
        status = read_entry(PyList_GET_ITEM(items, (Py_ssize_t)i), &entries[i], &semantics[i]);
    if (status == 0) {
        const nvtxPayloadSchemaAttr_t attributes = {
            .fieldMask = STATIC_SCHEMA | (flags != 0 ? NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS : 0),
            .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
            .flags = flags,
            .entries = entries,
            .numEntries = n,
            .payloadStaticSize = size};
        status = add((struct domain *)domain, key, &attributes, &id);
    }
    PyMem_Free(entries);
    PyMem_Free(semantics);
    return status == 0 ? PyLong_FromUnsignedLongLong(id) : NULL;
}

PyObject *nvtx_register_scope(PyObject *module, PyObject *args)
{
    PyObject *domain, *key;
    nvtxScopeAttr_t attributes = {.structSize = sizeof(attributes)};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOz", &domain, &key, &attributes.path))
        return NULL;
    attributes.parentScope = NVTX_SCOPE_NONE;
    attributes.scopeId = NVTX_SCOPE_NONE;
    uint64_t id;
    return add_scope((struct domain *)domain, key, &attributes, &id) == 0
               ? PyLong_FromUnsignedLongLong(id)
               : NULL;
}
