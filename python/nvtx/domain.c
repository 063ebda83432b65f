/* SPDX-License-Identifier: Apache-2.0 */
#include "domain.h"

#include "forgive.h"
#include "nvtx_python.h"
#include "text.h"
#include "threads.h"
#include "tool.h"

static PyTypeObject *domain_type, *dummy_type;
static struct guard mutex;            /* of adding domains and categories, and of attaching them */
static PyObject *domains;             /* dict: name to Domain; none is taken out */
static PyObject *handles;             /* dict: handle as int to Domain */
static struct domain *default_domain; /* the domain None, which is also "NVTX" */
static struct cached_domain {
    PyObject *name; /* the domain has a reference */
    struct domain *domain;
} last;

/* ---- Making and finding ---- */

/* Forgets what the tool before was told. */
static void forget(struct domain *domain)
{
    for (int i = 0; i < N_CACHED; i++) {
        Py_CLEAR(domain->string_cache[i].string);
        Py_CLEAR(domain->category_cache[i].string);
    }
    for (int i = 0; i < N_DTYPES; i++) {
        Py_CLEAR(domain->dtypes[i].dtype);
        Py_CLEAR(domain->dtypes[i].native);
    }
    memset(domain->number_arrays, 0, sizeof(domain->number_arrays));
    PyDict_Clear(domain->strings);
    PyDict_Clear(domain->schemas);
}

/* Creates the domain in the tool that is attached as the number-th. */
static int attach(struct domain *domain, unsigned number)
{
    if (domain->attached == number)
        return 0;
    forget(domain);
    if (domain->name != NULL) {
        PyObject *bytes = nvtx_encode(domain->name);
        if (bytes == NULL)
            return -1;
        domain->handle = nvtxDomainCreateA(PyBytes_AS_STRING(bytes));
        Py_DECREF(bytes);
    }
    PyObject *handle = PyLong_FromVoidPtr(domain->handle);
    int status = handle != NULL ? PyDict_SetItem(handles, handle, (PyObject *)domain) : -1;
    Py_XDECREF(handle);
    if (status == 0)
        domain->attached = number;
    return status;
}

static int name_category(struct domain *domain, PyObject *name, uint32_t id)
{
    PyObject *bytes = nvtx_encode(name);
    if (bytes == NULL)
        return -1;
    nvtxDomainNameCategoryA(domain->handle, id, PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    return 0;
}

/* Those that the tool that is being attached was not told of. */
static int name_categories(struct domain *domain)
{
    PyObject *name, *id;
    Py_ssize_t at = 0;
    while (PyDict_Next(domain->categories, &at, &name, &id)) {
        uint32_t number = (uint32_t)PyLong_AsUnsignedLong(id);
        if (number <= domain->n_named)
            continue;
        if (name_category(domain, name, number) != 0)
            return -1;
        domain->n_named = number;
    }
    return 0;
}

static struct domain *new_domain(PyObject *name)
{
    PyTypeObject *type = nvtx_is_heard() ? domain_type : dummy_type;
    struct domain *domain = PyObject_New(struct domain, type);
    if (domain == NULL)
        return NULL;
    memset((char *)domain + sizeof(PyObject), 0, sizeof(*domain) - sizeof(PyObject));
    Py_XINCREF(name);
    domain->name = name;
    domain->strings = PyDict_New();
    domain->categories = PyDict_New();
    domain->schemas = PyDict_New();
    domain->counters = PyDict_New();
    if (domain->strings == NULL || domain->categories == NULL || domain->schemas == NULL ||
        domain->counters == NULL || (nvtx_is_heard() && attach(domain, nvtx_attached) != 0))
        Py_CLEAR(domain);
    return domain;
}

/* Unless another thread has added it. */
static struct domain *add_domain(PyObject *name)
{
    guard_lock(&mutex);
    struct domain *domain = (struct domain *)PyDict_GetItemWithError(domains, name);
    if (domain == NULL && !PyErr_Occurred()) {
        domain = new_domain(name);
        int status = domain != NULL ? PyDict_SetItem(domains, name, (PyObject *)domain) : -1;
        Py_XDECREF(domain); /* domains has a reference */
        domain = status == 0 ? domain : NULL;
    }
    guard_unlock(&mutex);
    return domain;
}

static struct domain *find_domain(PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(name, "NVTX") == 0)
        return default_domain;
    struct domain *domain = (struct domain *)PyDict_GetItemWithError(domains, name);
    if (domain == NULL && !PyErr_Occurred())
        domain = add_domain(name);
    if (PYTHON_HAS_GIL && domain != NULL && domain->name == name)
        last = (struct cached_domain){name, domain};
    return domain;
}

/* A name that is not an exact str. */
static struct domain *find_odd_domain(PyObject *name)
{
    PyObject *text;
    if (!PyUnicode_Check(name))
        return nvtx_warn_type("domain", "a str, a Domain or None", name,
                              "taken as the default domain") == 0
                   ? default_domain
                   : NULL;
    if (nvtx_text("domain", name, &text) != 0)
        return NULL;
    struct domain *domain = find_domain(text);
    Py_DECREF(text);
    return domain;
}

struct domain *nvtx_get_domain(PyObject *name)
{
    if (name == NULL || name == Py_None)
        return default_domain;
    if (PYTHON_HAS_GIL && name == last.name)
        return last.domain;
    if (Py_TYPE(name) == domain_type || Py_TYPE(name) == dummy_type)
        return (struct domain *)name;
    return PyUnicode_CheckExact(name) ? find_domain(name) : find_odd_domain(name);
}

struct domain *nvtx_domain_of_handle(uint64_t handle)
{
    if (handle == 0)
        return default_domain;
    PyObject *key = PyLong_FromUnsignedLongLong(handle);
    PyObject *domain = key != NULL ? PyDict_GetItemWithError(handles, key) : NULL;
    Py_XDECREF(key);
    PyErr_Clear();
    return (struct domain *)domain;
}

static int attach_one(struct domain *domain, unsigned number)
{
    guard_lock(&domain->mutex);
    Py_SET_TYPE((PyObject *)domain, domain_type);
    int status = attach(domain, number);
    if (status == 0)
        status = name_categories(domain);
    guard_unlock(&domain->mutex);
    return status;
}

int nvtx_attach_domains(unsigned number)
{
    PyObject *name, *domain;
    Py_ssize_t at = 0;
    guard_lock(&mutex);
    int status = attach_one(default_domain, number);
    while (status == 0 && PyDict_Next(domains, &at, &name, &domain))
        status = attach_one((struct domain *)domain, number);
    if (status == 0)
        nvtx_publish(&nvtx_attached, number);
    guard_unlock(&mutex);
    return status;
}

/* ---- Registered strings and categories ---- */

static struct cached *cache_place(struct cached *cache, PyObject *string)
{
    return &cache[((uintptr_t)string >> 4) & (N_CACHED - 1)];
}

static int add_string(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered)
{
    PyObject *bytes = nvtx_encode(message);
    if (bytes == NULL)
        return -1;
    if (PyDict_GET_SIZE(domain->strings) >= MAX_STRINGS &&
        !nvtx_is_trigger(PyBytes_AS_STRING(bytes))) {
        Py_DECREF(bytes);
        return 0;
    }
    *registered = nvtxDomainRegisterStringA(domain->handle, PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    if (!PYTHON_HAS_GIL && *registered == NULL) /* another thread has detached the tool */
        return 0;
    PyObject *handle = PyLong_FromVoidPtr((void *)*registered);
    int status = handle != NULL ? PyDict_SetItem(domain->strings, message, handle) : -1;
    Py_XDECREF(handle);
    return status;
}

/* Returns 0, or -1 with an exception. *registered is set if the dict has the message. */
static int find_string(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered)
{
    PyObject *handle = PyDict_GetItemWithError(domain->strings, message);
    if (handle != NULL)
        *registered = PyLong_AsVoidPtr(handle);
    return PyErr_Occurred() ? -1 : 0;
}

/* The same, of a message that is not in the cache; it is added. */
static int find_or_add_string(struct domain *domain, PyObject *message,
                              nvtxStringHandle_t *registered)
{
    if (find_string(domain, message, registered) != 0)
        return -1;
    if (*registered != NULL)
        return 0;
    guard_lock(&domain->mutex);
    int status = PYTHON_HAS_GIL ? 0 : find_string(domain, message, registered);
    if (status == 0 && *registered == NULL)
        status = add_string(domain, message, registered);
    guard_unlock(&domain->mutex);
    return status;
}

int nvtx_register(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered)
{
    struct cached *place = cache_place(domain->string_cache, message);
    if (PYTHON_HAS_GIL && place->string == message) {
        *registered = place->registered;
        return 0;
    }
    *registered = NULL;
    if (find_or_add_string(domain, message, registered) != 0)
        return -1;
    if (PYTHON_HAS_GIL && *registered != NULL) {
        Py_INCREF(message);
        Py_XSETREF(place->string, message);
        place->registered = *registered;
    }
    return 0;
}

/* Ids count from 1 in the order of first use; 0 means no category. */
static int add_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    *id = (uint32_t)PyDict_GET_SIZE(domain->categories) + 1;
    PyObject *number = PyLong_FromUnsignedLong(*id);
    int status = number != NULL ? PyDict_SetItem(domain->categories, name, number) : -1;
    Py_XDECREF(number);
    if (status != 0 || !nvtx_is_heard())
        return status;
    status = name_category(domain, name, *id);
    if (status == 0 && nvtx_is_heard()) /* else another thread has detached the tool */
        domain->n_named = *id;
    return status;
}

/* Returns 1; 0 if there is none of that name; -1 with an exception. */
static int known_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    PyObject *number = PyDict_GetItemWithError(domain->categories, name);
    if (number == NULL)
        return PyErr_Occurred() ? -1 : 0;
    *id = (uint32_t)PyLong_AsUnsignedLong(number);
    return 1;
}

static int look_up_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    int status = known_category(domain, name, id);
    if (status != 0)
        return status < 0 ? -1 : 0;
    guard_lock(&mutex); /* a tool that is being attached is told of it, too */
    status = PYTHON_HAS_GIL ? 0 : known_category(domain, name, id);
    if (status == 0)
        status = add_category(domain, name, id);
    guard_unlock(&mutex);
    return status < 0 ? -1 : 0;
}

static int find_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    PyObject *text;
    if (nvtx_text("category", name, &text) != 0)
        return -1;
    int status = look_up_category(domain, text, id);
    Py_DECREF(text);
    if (status != 0)
        return -1;
    if (!PYTHON_HAS_GIL)
        return 0;
    struct cached *place = cache_place(domain->category_cache, name);
    Py_XSETREF(place->string, Py_NewRef(name));
    place->category = *id;
    return 0;
}

static int read_category_number(PyObject *category, uint32_t *id)
{
    int overflow;
    PyObject *number = PyNumber_Index(category);
    if (number == NULL)
        return nvtx_forgive() == 0
                   ? nvtx_warn_type("category", "a str, an int or None", category, "left out")
                   : -1;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    if (overflow != 0 || value < 0 || value > UINT32_MAX)
        return nvtx_warn("category as an int must be of 32 bits, unsigned: left out");
    *id = (uint32_t)value;
    return 0;
}

int nvtx_category(struct domain *domain, PyObject *category, uint32_t *id)
{
    struct cached *place = cache_place(domain->category_cache, category);
    if (PYTHON_HAS_GIL && place->string == category) {
        *id = place->category;
        return 0;
    }
    *id = 0;
    return PyUnicode_Check(category) ? find_category(domain, category, id)
                                     : read_category_number(category, id);
}

int nvtx_init_domains(PyTypeObject *type, PyTypeObject *type_of_dummy)
{
    domain_type = type;
    dummy_type = type_of_dummy;
    domains = PyDict_New();
    handles = PyDict_New();
    if (domains == NULL || handles == NULL)
        return -1;
    default_domain = new_domain(NULL);
    return default_domain != NULL ? 0 : -1;
}
