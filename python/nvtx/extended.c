/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, tuples and ranges become the arrays that numpy.array() makes of them, without NumPy. */
#include "extended.h"

#include "forgive.h"
#include "helper.h"
#include "numpy.h"
#include "schema.h"
#include "threads.h"

/* As NumPy: more levels of lists are an error. */
#define MAX_LEVELS 32

/* What a list holds. Of two of the first three, the later one can hold both. */
enum content { BOOLS, INTS, FLOATS, TEXTS, BYTES, SEQUENCES, OTHERS };

static const struct plain numbers[N_NUMBERS] = {
    [INT64_ARRAY] = {"int64", NVTX_PAYLOAD_ENTRY_TYPE_INT64, 0, 0, sizeof(int64_t)},
    [UINT64_ARRAY] = {"uint64", NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 0, 0, sizeof(uint64_t)},
    [FLOAT64_ARRAY] = {"float64", NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64, 0, 0, sizeof(double)},
    [BOOL_ARRAY] = {"bool", NVTX_PAYLOAD_ENTRY_TYPE_UINT8, 0, 0, sizeof(uint8_t)}};

/* ---- Blocks ---- */

/* A payload of n values of a size, all zero; NULL with an exception. */
static struct payload *new_payload(size_t n, size_t size)
{
    if (n > (size_t)PY_SSIZE_T_MAX / 2 / size) {
        PyErr_NoMemory();
        return NULL;
    }
    struct payload *payload = PyMem_Calloc(1, sizeof(*payload) + n * size);
    if (payload == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    payload->n = n;
    payload->data.size = n * size;
    payload->data.payload = payload->values;
    return payload;
}

/* Makes an array of the values in a payload. */
static int be_array(struct domain *domain, struct payload *payload, uint64_t of)
{
    payload->data.size += sizeof(payload->n);
    payload->data.payload = &payload->n;
    return nvtx_array_schema(domain, of, &payload->data.schemaId);
}

/* Where the schema is 0, the tool takes no payloads. */
static int finish(struct payload *payload, int status, struct payload **made)
{
    if (status == 0 && payload->data.schemaId != 0)
        *made = payload;
    else
        PyMem_Free(payload);
    return status;
}

/* ---- Numbers ---- */

static int number_array(struct domain *domain, enum number_array which, uint64_t *id)
{
    uint64_t *place = &domain->number_arrays[which], of;
    *id = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (*id == 0 && (nvtx_plain_schema(domain, &numbers[which], &of) != 0 ||
                     (of != 0 && nvtx_array_schema(domain, of, id) != 0)))
        return -1;
    __atomic_store_n(place, *id, __ATOMIC_RELAXED);
    return 0;
}

/* Returns whether all fit. */
static bool fill_ints(PyObject *const *items, size_t n, int64_t *values)
{
    int overflow = 0;
    for (size_t i = 0; i < n && overflow == 0; i++)
        values[i] = PyLong_AsLongLongAndOverflow(items[i], &overflow);
    return overflow == 0;
}

/* Returns 0, or -1 with an exception: one does not fit. */
static int fill_uints(PyObject *const *items, size_t n, uint64_t *values)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = PyLong_AsUnsignedLongLong(items[i]);
        if (values[i] == UINT64_MAX && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int fill_floats(PyObject *const *items, size_t n, double *values)
{
    for (size_t i = 0; i < n; i++) {
        values[i] =
            PyFloat_Check(items[i]) ? PyFloat_AS_DOUBLE(items[i]) : PyLong_AsDouble(items[i]);
        if (values[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static void fill_bools(PyObject *const *items, size_t n, uint8_t *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = items[i] == Py_True;
}

static int fill_numbers(PyObject *const *items, enum content content, struct payload *payload,
                        enum number_array *which)
{
    void *values = payload->values;
    *which = content == INTS ? INT64_ARRAY : content == FLOATS ? FLOAT64_ARRAY : BOOL_ARRAY;
    if (content == BOOLS)
        fill_bools(items, payload->n, values);
    if (content == FLOATS)
        return fill_floats(items, payload->n, values);
    if (content != INTS || fill_ints(items, payload->n, values))
        return 0;
    *which = UINT64_ARRAY;
    return fill_uints(items, payload->n, values);
}

static int make_numbers(struct domain *domain, PyObject *const *items, size_t n,
                        enum content content, struct payload **made)
{
    enum number_array which;
    struct payload *payload = new_payload(n, content == BOOLS ? sizeof(uint8_t) : sizeof(uint64_t));
    if (payload == NULL)
        return -1;
    payload->data.size += sizeof(payload->n);
    payload->data.payload = &payload->n;
    int status = fill_numbers(items, content, payload, &which);
    if (status == 0)
        status = number_array(domain, which, &payload->data.schemaId);
    return finish(payload, status, made);
}

static int make_range(struct domain *domain, PyObject *range, struct payload **made)
{
    Py_ssize_t n = PyObject_Size(range);
    PyObject *first = n > 0 ? PySequence_GetItem(range, 0) : NULL;
    PyObject *last = first != NULL ? PySequence_GetItem(range, n - 1) : NULL;
    int64_t begin = first != NULL ? PyLong_AsLongLong(first) : -1;
    int64_t end = last != NULL ? PyLong_AsLongLong(last) : -1;
    Py_XDECREF(first);
    Py_XDECREF(last);
    if (n == 0 || PyErr_Occurred())
        return n == 0 ? 0 : -1;
    struct payload *payload = new_payload((size_t)n, sizeof(int64_t));
    if (payload == NULL)
        return -1;
    /* in unsigned numbers: the distance of two int64_t may not be one */
    uint64_t step = n > 1 ? ((uint64_t)end - (uint64_t)begin) : 0;
    if (n > 1)
        step = end >= begin ? step / (uint64_t)(n - 1) : 0 - (0 - step) / (uint64_t)(n - 1);
    for (size_t i = 0; i < (size_t)n; i++)
        ((uint64_t *)payload->values)[i] = (uint64_t)begin + i * step;
    payload->data.size += sizeof(payload->n);
    payload->data.payload = &payload->n;
    return finish(payload, number_array(domain, INT64_ARRAY, &payload->data.schemaId), made);
}

/* ---- Text and bytes ---- */

/* The type of n characters or bytes; its name is written to name[]. */
static struct plain text_type(enum content content, size_t n, char name[static 32])
{
    bool is_text = content == TEXTS;
    size_t size = is_text ? n * sizeof(Py_UCS4) : n;
    (void)PyOS_snprintf(name, 32, "%s%zu", is_text ? "str" : "bytes", size * 8);
    return (struct plain){
        name, is_text ? NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32 : NVTX_PAYLOAD_ENTRY_TYPE_BYTE,
        is_text ? 0 : NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, n, size};
}

static size_t length_of(PyObject *item)
{
    return (size_t)(PyUnicode_Check(item) ? PyUnicode_GET_LENGTH(item) : PyBytes_GET_SIZE(item));
}

/* The length that holds each item; at least 1, as in NumPy. */
static size_t longest_of(PyObject *const *items, size_t n)
{
    size_t longest = 1;
    for (size_t i = 0; i < n; i++)
        longest = longest > length_of(items[i]) ? longest : length_of(items[i]);
    return longest;
}

static int fill_texts(PyObject *const *items, size_t n, const struct plain *type, char *values)
{
    for (size_t i = 0; i < n; i++, values += type->size) {
        if (PyBytes_Check(items[i]))
            memcpy(values, PyBytes_AS_STRING(items[i]), length_of(items[i]));
        else if (PyUnicode_AsUCS4(items[i], (Py_UCS4 *)values, (Py_ssize_t)type->length, 0) == NULL)
            return -1;
    }
    return 0;
}

static int make_texts(struct domain *domain, PyObject *const *items, size_t n, enum content content,
                      bool is_array, struct payload **made)
{
    char name[32];
    uint64_t schema = 0;
    size_t longest = longest_of(items, n);
    if (longest > (size_t)PY_SSIZE_T_MAX / 16) {
        PyErr_NoMemory();
        return -1;
    }
    struct plain type = text_type(content, longest, name);
    struct payload *payload = new_payload(n, type.size);
    if (payload == NULL)
        return -1;
    int status = fill_texts(items, n, &type, payload->values);
    if (status == 0)
        status = nvtx_plain_schema(domain, &type, &schema);
    payload->data.schemaId = schema;
    if (status == 0 && schema != 0 && is_array)
        status = be_array(domain, payload, schema);
    return finish(payload, status, made);
}

/* ---- Arrays ---- */

/* Looks in the domain's cache. Returns whether it is there; *known has a reference of native then.
 */
static bool find_dtype(struct domain *domain, PyObject *dtype, struct cached_dtype *known)
{
    const struct cached_dtype *place = &domain->dtypes[((uintptr_t)dtype >> 4) & (N_DTYPES - 1)];
    guard_lock(&domain->mutex);
    bool is_there = place->dtype == dtype;
    if (is_there)
        *known = (struct cached_dtype){dtype, Py_XNewRef(place->native), place->schema};
    guard_unlock(&domain->mutex);
    return is_there;
}

static void keep_dtype(struct domain *domain, const struct cached_dtype *known)
{
    struct cached_dtype *place = &domain->dtypes[((uintptr_t)known->dtype >> 4) & (N_DTYPES - 1)];
    guard_lock(&domain->mutex);
    struct cached_dtype before = *place;
    *place =
        (struct cached_dtype){Py_NewRef(known->dtype), Py_XNewRef(known->native), known->schema};
    guard_unlock(&domain->mutex);
    Py_XDECREF(before.dtype);
    Py_XDECREF(before.native);
}

/* What _schemas.schema_of() says of a dtype; *known has a reference of native. Returns 0, or -1
 * with an exception. */
static int ask_for_schema(struct domain *domain, PyObject *dtype, struct cached_dtype *known)
{
    if (find_dtype(domain, dtype, known))
        return 0;
    PyObject *function = nvtx_helper("schema_of");
    PyObject *answer =
        function != NULL ? PyObject_CallFunctionObjArgs(function, domain, dtype, NULL) : NULL;
    unsigned long long id;
    PyObject *native;
    int status = answer != NULL && PyArg_ParseTuple(answer, "KO", &id, &native) ? 0 : -1;
    if (status == 0) {
        *known = (struct cached_dtype){dtype, native != Py_None ? Py_NewRef(native) : NULL, id};
        keep_dtype(domain, known);
    }
    Py_XDECREF(answer);
    return status;
}

static int copy_array(struct domain *domain, PyObject *array, uint64_t schema,
                      struct payload **made)
{
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDES) != 0)
        return -1;
    int status = 0;
    struct payload *payload = NULL;
    if (view.len > 0) {
        payload = new_payload((size_t)(view.len / view.itemsize), (size_t)view.itemsize);
        status =
            payload == NULL ? -1 : PyBuffer_ToContiguous(payload->values, &view, view.len, 'C');
    }
    if (payload != NULL) {
        payload->data.schemaId = schema;
        if (status == 0 && view.ndim > 0 && schema != 0)
            status = be_array(domain, payload, schema);
        status = finish(payload, status, made);
    }
    PyBuffer_Release(&view);
    return status;
}

static int make_array(struct domain *domain, PyObject *array, struct payload **made)
{
    struct cached_dtype known;
    PyObject *dtype = PyObject_GetAttrString(array, "dtype");
    int status = dtype != NULL ? ask_for_schema(domain, dtype, &known) : -1;
    if (status == 0 && known.native != NULL) { /* of another byte order: converted */
        PyObject *native = PyObject_CallMethod(array, "astype", "O", known.native);
        status = native != NULL ? copy_array(domain, native, known.schema, made) : -1;
        Py_XDECREF(native);
        Py_DECREF(known.native);
    } else if (status == 0) {
        status = copy_array(domain, array, known.schema, made);
    }
    Py_XDECREF(dtype);
    return status;
}

static int make_other(struct domain *domain, PyObject *value, struct payload **made)
{
    PyObject *array = nvtx_as_array(value, NULL);
    if (array == NULL)
        return PyErr_Occurred()
                   ? -1
                   : nvtx_warn(
                         "payload of other things than numbers, text and bytes, or of lists of "
                         "several lengths: left out");
    int status = make_array(domain, array, made);
    Py_DECREF(array);
    return status;
}

/* ---- Lists ---- */

static inline bool is_sequence(PyObject *value)
{
    return PyList_Check(value) || PyTuple_Check(value);
}

static enum content content_of(PyObject *item)
{
    if (PyLong_CheckExact(item))
        return INTS;
    if (PyFloat_Check(item))
        return FLOATS;
    if (PyBool_Check(item))
        return BOOLS;
    if (PyLong_Check(item))
        return INTS;
    if (PyUnicode_Check(item))
        return TEXTS;
    if (PyBytes_Check(item))
        return BYTES;
    return is_sequence(item) ? SEQUENCES : OTHERS;
}

static enum content content_of_all(PyObject *const *items, size_t n)
{
    enum content all = content_of(items[0]);
    for (size_t i = 1; i < n; i++) {
        enum content next = content_of(items[i]);
        if (next == all)
            continue;
        if (next > FLOATS || all > FLOATS)
            return OTHERS;
        all = next > all ? next : all;
    }
    return all;
}

/* Whether the levels of the first items come to an end. */
static bool has_few_levels(PyObject *value)
{
    int level = 0;
    Py_INCREF(value);
    while (value != NULL && is_sequence(value) && PySequence_Size(value) > 0 &&
           level++ < MAX_LEVELS)
        Py_SETREF(value, PySequence_GetItem(value, 0));
    Py_XDECREF(value);
    PyErr_Clear(); /* another thread has emptied it */
    return level < MAX_LEVELS;
}

/* A list of what the items of a sequence, which are sequences, have; NULL: of several lengths, or
 * with an exception. */
static PyObject *flatten(PyObject *sequence)
{
    PyObject *flat = PyList_New(0);
    Py_ssize_t length = -1;
    for (Py_ssize_t i = 0; flat != NULL && i < PySequence_Fast_GET_SIZE(sequence); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(sequence, i));
        if (length < 0)
            length = is_sequence(item) ? PySequence_Fast_GET_SIZE(item) : 0;
        if (!is_sequence(item) || PySequence_Fast_GET_SIZE(item) != length ||
            PyList_SetSlice(flat, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, item) != 0)
            Py_CLEAR(flat);
        Py_DECREF(item);
    }
    return flat;
}

static int make_sequence(struct domain *domain, PyObject *value, struct payload **made);

static int make_sequences(struct domain *domain, PyObject *value, struct payload **made)
{
    PyObject *flat = has_few_levels(value) ? flatten(value) : NULL;
    if (flat == NULL)
        return PyErr_Occurred() ? -1 : make_other(domain, value, made);
    int status = make_sequence(domain, flat, made);
    Py_DECREF(flat);
    return status;
}

static int make_steady(struct domain *domain, PyObject *value, struct payload **made)
{
    PyObject *const *items = PySequence_Fast_ITEMS(value);
    size_t n = (size_t)PySequence_Fast_GET_SIZE(value);
    if (n == 0)
        return 0;
    enum content content = content_of_all(items, n);
    if (content <= FLOATS)
        return make_numbers(domain, items, n, content, made);
    if (content <= BYTES)
        return make_texts(domain, items, n, content, true, made);
    return content == SEQUENCES ? make_sequences(domain, value, made)
                                : make_other(domain, value, made);
}

static int make_sequence(struct domain *domain, PyObject *value, struct payload **made)
{
    PyObject *steady = nvtx_steady(value);
    int status = steady != NULL ? make_steady(domain, steady, made) : -1;
    Py_XDECREF(steady);
    return status;
}

/* ---- All ---- */

bool nvtx_is_extended(PyObject *value)
{
    return is_sequence(value) || PyRange_Check(value) || PyBytes_Check(value) ||
           nvtx_is_ndarray(value);
}

bool nvtx_is_mutable(PyObject *value)
{
    return PyList_Check(value) || nvtx_is_ndarray(value);
}

static int make(struct domain *domain, PyObject *value, struct payload **made)
{
    if (is_sequence(value))
        return make_sequence(domain, value, made);
    if (PyRange_Check(value))
        return make_range(domain, value, made);
    if (PyBytes_Check(value))
        return make_texts(domain, &value, 1, BYTES, false, made);
    return make_array(domain, value, made);
}

/* The exception's text, for a warning. */
static int say_why(void)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    if (type != NULL && !PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
        PyErr_Restore(type, error, traceback);
        return -1;
    }
    PyErr_NormalizeException(&type, &error, &traceback);
    int status = nvtx_warn("payload cannot be read (%s: %S): left out",
                           error != NULL ? Py_TYPE(error)->tp_name : "error",
                           error != NULL ? error : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return status;
}

int nvtx_payload_make(struct domain *domain, PyObject *value, struct payload **made)
{
    *made = NULL;
    if (make(domain, value, made) == 0)
        return 0;
    return PyErr_ExceptionMatches(nvtx_warning) ? -1 : say_why();
}
