/* SPDX-License-Identifier: Apache-2.0 */
#include "counter.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <structmember.h>

#include "arguments.h"
#include "domain.h"
#include "forgive.h"
#include "helper.h"
#include "number.h"
#include "samples.h"
#include "semantics.h"
#include "threads.h"
#include "tool.h"

struct counter {
    PyObject_HEAD struct domain *domain;
    PyTypeObject *type; /* what it is while a tool is attached */
    uint64_t id;        /* the tool's; 0: it takes no counters */
    unsigned attached;  /* value of nvtx_attached when it was registered; 0: never */
    struct guard mutex; /* of registering it */
    PyObject *name, *dtype, *description, *scope, *semantics, *time_domain;
};

static const struct signature sample_signature = {"sample", {VALUE}, 1, 1};
static const struct signature no_value_signature = {"sample_no_value", {REASON}, 1, 1};
static const struct signature batch_signature = {"batch_submit", {VALUES, TIMESTAMPS}, 2, 2};

/* ---- Registering ---- */

/* Keeps what the tool that is attached as the number-th says of a counter. The first thread's
 * answer stays; none does that was made while another thread has detached the tool. */
static void keep(struct counter *counter, unsigned number, uint64_t id)
{
    if (counter->attached == number || !nvtx_is_heard())
        return;
    counter->id = id;
    Py_SET_TYPE((PyObject *)counter, counter->type);
    nvtx_publish(&counter->attached, number);
}

/* Returns 0, or -1 with an exception. */
static int attach(struct counter *counter)
{
    unsigned number = nvtx_read(&nvtx_attached);
    PyObject *function = nvtx_helper("register_counter");
    PyObject *done = function != NULL ? PyObject_CallOneArg(function, (PyObject *)counter) : NULL;
    if (done == NULL) {
        if (nvtx_forgive() != 0)
            return -1;
        guard_lock(&counter->mutex);
        keep(counter, number, NVTX_COUNTER_ID_NONE);
        guard_unlock(&counter->mutex);
    }
    Py_XDECREF(done);
    return 0;
}

/* Whether the tool takes samples of a counter; one must be attached. Returns 1, 0, or -1 with an
 * exception. */
static inline int is_wanted(struct counter *counter)
{
    if (nvtx_read(&counter->attached) != nvtx_read(&nvtx_attached) && attach(counter) != 0)
        return -1;
    return counter->id != NVTX_COUNTER_ID_NONE;
}

PyObject *nvtx_new_counter(PyObject *module, PyObject *args)
{
    PyObject *type, *domain, *name, *dtype, *description, *scope, *semantics, *time_domain;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOOO", &type, &domain, &name, &dtype, &description, &scope,
                          &semantics, &time_domain))
        return NULL;
    struct counter *counter = PyObject_New(struct counter, &nvtx_dummy_counter_type);
    if (counter == NULL)
        return NULL;
    counter->domain = (struct domain *)Py_NewRef(domain);
    counter->type = (PyTypeObject *)type;
    counter->id = 0;
    counter->attached = 0;
    counter->mutex = (struct guard){0};
    counter->name = Py_NewRef(name);
    counter->dtype = Py_NewRef(dtype);
    counter->description = Py_NewRef(description);
    counter->scope = Py_NewRef(scope);
    counter->semantics = Py_NewRef(semantics);
    counter->time_domain = Py_NewRef(time_domain);
    return (PyObject *)counter;
}

PyObject *nvtx_attach_counter(PyObject *module, PyObject *object)
{
    struct counter *counter = (struct counter *)object;
    (void)module;
    return !nvtx_is_heard() || is_wanted(counter) >= 0 ? Py_NewRef(Py_None) : NULL;
}

PyObject *nvtx_register_counter(PyObject *module, PyObject *args)
{
    PyObject *object, *numbers;
    unsigned long long schema, scope, time_domain;
    nvtxSemanticsCounter_t semantics = {.flags = 0};
    nvtxSemanticsTime_t time = {
        .header = {sizeof(time), NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION, NULL}};
    nvtxCounterAttr_t attributes = {.structSize = sizeof(attributes), .semantics = &time.header};
    (void)module;
    if (!PyArg_ParseTuple(args, "OKzzKKO", &object, &schema, &attributes.name,
                          &attributes.description, &scope, &time_domain, &numbers))
        return NULL;
    attributes.schemaId = schema;
    attributes.scopeId = scope;
    attributes.counterId = NVTX_COUNTER_ID_NONE;
    time.timeDomainId = time_domain;
    if (numbers != Py_None) {
        if (nvtx_read_semantics(numbers, &semantics) != 0)
            return NULL;
        time.header.next = &semantics.header;
    }
    struct counter *counter = (struct counter *)object;
    guard_lock(&counter->mutex);
    unsigned number = nvtx_read(&nvtx_attached);
    if (counter->attached != number)
        keep(counter, number, nvtxCounterRegister(counter->domain->handle, &attributes));
    guard_unlock(&counter->mutex);
    Py_RETURN_NONE;
}

PyObject *nvtx_counters_of(PyObject *module, PyObject *domain)
{
    (void)module;
    return Py_NewRef(((struct domain *)domain)->counters);
}

PyObject *nvtx_type_of(PyObject *module, PyObject *counter)
{
    (void)module;
    return Py_NewRef((PyObject *)((struct counter *)counter)->type);
}

/* ---- Samples ---- */

/* The only argument, without looking for names in the usual case. */
static inline PyObject *only(const struct signature *signature, PyObject *const *args,
                             Py_ssize_t n_args, PyObject *names)
{
    return n_args == 1 && names == NULL ? args[0] : nvtx_parse_one(signature, args, n_args, names);
}

/* A sample by its position, of a counter that the tool knows: the usual one. */
static inline bool is_usual(const struct counter *counter, Py_ssize_t n_args, PyObject *names)
{
    return n_args == 1 && names == NULL &&
           nvtx_read(&counter->attached) == nvtx_read(&nvtx_attached) &&
           counter->id != NVTX_COUNTER_ID_NONE;
}

static PyObject *int64_sample(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names)
{
    struct counter *counter = (struct counter *)self;
    int64_t value;
    if (is_usual(counter, n_args, names) && nvtx_small_int(args[0], &value)) {
        nvtxCounterSampleInt64(counter->domain->handle, counter->id, value);
        Py_RETURN_NONE;
    }
    PyObject *given = only(&sample_signature, args, n_args, names);
    if (given == NULL || !nvtx_is_heard() || is_wanted(counter) <= 0)
        return nvtx_none_or_error();
    int status = nvtx_int64(given, "value", &value);
    if (status > 0)
        nvtxCounterSampleInt64(counter->domain->handle, counter->id, value);
    return status >= 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *float64_sample(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                PyObject *names)
{
    struct counter *counter = (struct counter *)self;
    double value;
    if (is_usual(counter, n_args, names) && PyFloat_CheckExact(args[0])) {
        nvtxCounterSampleFloat64(counter->domain->handle, counter->id, PyFloat_AS_DOUBLE(args[0]));
        Py_RETURN_NONE;
    }
    PyObject *given = only(&sample_signature, args, n_args, names);
    if (given == NULL || !nvtx_is_heard() || is_wanted(counter) <= 0)
        return nvtx_none_or_error();
    int status = nvtx_float64(given, "value", &value);
    if (status > 0)
        nvtxCounterSampleFloat64(counter->domain->handle, counter->id, value);
    return status >= 0 ? Py_NewRef(Py_None) : NULL;
}

static int send_one(struct counter *counter, PyObject *value)
{
    struct samples samples;
    int status = nvtx_samples_read(&samples, value, SAMPLES_OF_DTYPE, counter->dtype);
    if (status <= 0)
        return status;
    if (samples.n == 1)
        nvtxCounterSample(counter->domain->handle, counter->id, samples.data, samples.size);
    else
        status = nvtx_warn("sample() takes one value of dtype %S, not %zu: left out",
                           counter->dtype, samples.n);
    nvtx_samples_release(&samples);
    return status;
}

static PyObject *ext_sample(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names)
{
    struct counter *counter = (struct counter *)self;
    PyObject *given = only(&sample_signature, args, n_args, names);
    if (given == NULL || !nvtx_is_heard() || is_wanted(counter) <= 0)
        return nvtx_none_or_error();
    return send_one(counter, given) >= 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *no_value(PyObject *self, PyObject *const *args, Py_ssize_t n_args, PyObject *names)
{
    struct counter *counter = (struct counter *)self;
    PyObject *given = nvtx_parse_one(&no_value_signature, args, n_args, names);
    if (given == NULL || !nvtx_is_heard() || is_wanted(counter) <= 0)
        return nvtx_none_or_error();
    PyObject *number = PyObject_GetAttrString(given, "value"); /* of a CounterNoValueReason */
    long reason = number != NULL ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    if (PyErr_Occurred() || reason < 0 || reason > UINT8_MAX) {
        if (nvtx_forgive() != 0)
            return NULL;
        return nvtx_warn_type("reason", "a CounterNoValueReason", given, "left out") == 0
                   ? Py_NewRef(Py_None)
                   : NULL;
    }
    nvtxCounterSampleNoValue(counter->domain->handle, counter->id, (uint8_t)reason);
    Py_RETURN_NONE;
}

/* ---- Batches ---- */

static enum samples_type type_of(const struct counter *counter)
{
    if (counter->type == &nvtx_int64_counter_type)
        return SAMPLES_INT64;
    return counter->type == &nvtx_float64_counter_type ? SAMPLES_FLOAT64 : SAMPLES_OF_DTYPE;
}

static int send_batch(struct counter *counter, const struct samples *values,
                      const struct samples *timestamps)
{
    const nvtxCounterBatch_t batch = {.counterId = counter->id,
                                      .counters = values->data,
                                      .countersSize = values->size,
                                      .timestamps = timestamps->data,
                                      .timestampsSize = timestamps->size};
    if (values->n != timestamps->n)
        return nvtx_warn(
            "batch_submit() takes a timestamp for each value, not %zu for %zu: left out",
            timestamps->n, values->n);
    nvtxCounterBatchSubmit(counter->domain->handle, &batch);
    return 0;
}

static PyObject *batch_submit(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names)
{
    struct counter *counter = (struct counter *)self;
    struct samples values, timestamps;
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_parse(&batch_signature, args, n_args, names, given) != 0)
        return NULL;
    if (given[VALUES] == NULL || given[TIMESTAMPS] == NULL)
        return PyErr_Format(PyExc_TypeError, "batch_submit() takes values and timestamps");
    if (!nvtx_is_heard() || is_wanted(counter) <= 0)
        return nvtx_none_or_error();
    int status = nvtx_samples_read(&values, given[VALUES], type_of(counter), counter->dtype);
    if (status > 0) {
        status = nvtx_samples_read(&timestamps, given[TIMESTAMPS], SAMPLES_INT64, NULL);
        if (status > 0) {
            status = send_batch(counter, &values, &timestamps);
            nvtx_samples_release(&timestamps);
        }
        nvtx_samples_release(&values);
    }
    return status >= 0 ? Py_NewRef(Py_None) : NULL;
}

/* ---- DummyCounter: the other types' methods once a tool is attached ---- */

static PyObject *dummy_sample(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names)
{
    PyTypeObject *type = ((struct counter *)self)->type;
    if (!nvtx_is_heard())
        Py_RETURN_NONE;
    if (type == &nvtx_int64_counter_type)
        return int64_sample(self, args, n_args, names);
    return type == &nvtx_float64_counter_type ? float64_sample(self, args, n_args, names)
                                              : ext_sample(self, args, n_args, names);
}

/* ---- The types ---- */

#define FAST           (METH_FASTCALL | METH_KEYWORDS)
#define AS_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

#define METHODS(type, sample_doc)                                                                  \
    {                                                                                              \
        {"sample", AS_FUNCTION(type##_sample), FAST,                                               \
         PyDoc_STR("sample($self, value)\n--\n\n" sample_doc)},                                    \
            {"sample_no_value", AS_FUNCTION(no_value), FAST,                                       \
             PyDoc_STR("sample_no_value($self, reason)\n--\n\n"                                    \
                       "Records that there is no value now, for a CounterNoValueReason.")},        \
            {"batch_submit", AS_FUNCTION(batch_submit), FAST,                                      \
             PyDoc_STR("batch_submit($self, values, timestamps)\n--\n\n"                           \
                       "Records values of earlier, each with its timestamp, an int: of\n"          \
                       "Domain.get_timestamp(), or of the counter's time_domain.")},               \
        {                                                                                          \
            NULL, NULL, 0, NULL                                                                    \
        }                                                                                          \
    }

static PyMethodDef any_methods[] =
    METHODS(dummy, "Records a value now, of what the counter counts.");
static PyMethodDef int64_methods[] = METHODS(int64, "Records a value, an int of 64 bits, now.");
static PyMethodDef float64_methods[] = METHODS(float64, "Records a value, a float, now.");
static PyMethodDef ext_methods[] =
    METHODS(ext, "Records a value of the counter's dtype now; a tuple for a group.");
static PyMethodDef dummy_methods[] = METHODS(dummy, "Records nothing while no tool is attached.");

#define VALUE_OF(field, doc)                                                                       \
    {                                                                                              \
#field, T_OBJECT_EX, offsetof(struct counter, field), READONLY, PyDoc_STR(doc)             \
    }

static PyMemberDef values[] = {VALUE_OF(name, "its name"),
                               VALUE_OF(dtype, "what a value is"),
                               VALUE_OF(domain, "the Domain that it belongs to"),
                               VALUE_OF(description, "a description, or None"),
                               VALUE_OF(scope, "the path of what is counted, or None"),
                               VALUE_OF(semantics, "a CounterSemantics, or None"),
                               VALUE_OF(time_domain, "the number of a TimestampType"),
                               {NULL, 0, 0, 0, NULL}};

static void counter_free(PyObject *self)
{
    struct counter *counter = (struct counter *)self;
    Py_DECREF((PyObject *)counter->domain);
    Py_DECREF(counter->name);
    Py_DECREF(counter->dtype);
    Py_DECREF(counter->description);
    Py_DECREF(counter->scope);
    Py_DECREF(counter->semantics);
    Py_DECREF(counter->time_domain);
    PyObject_Free(self);
}

static PyObject *counter_repr(PyObject *self)
{
    const struct counter *counter = (struct counter *)self;
    return PyUnicode_FromFormat("<%s %R of %R>", strrchr(Py_TYPE(self)->tp_name, '.') + 1,
                                counter->name, counter->domain);
}

PyTypeObject nvtx_counter_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.Counter",
    .tp_doc = PyDoc_STR("A quantity that changes over time; made by Domain.get_counter()."),
    .tp_basicsize = sizeof(struct counter),
    .tp_dealloc = counter_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = counter_repr,
    .tp_methods = any_methods,
    .tp_members = values};

#define COUNTER_TYPE(variable, type_name, doc, its_methods)                                        \
    PyTypeObject variable = {PyVarObject_HEAD_INIT(NULL, 0).tp_name =                              \
                                 "rangefinder.nvtx." type_name,                                    \
                             .tp_doc = PyDoc_STR(doc),                                             \
                             .tp_basicsize = sizeof(struct counter),                               \
                             .tp_dealloc = counter_free,                                           \
                             .tp_flags = Py_TPFLAGS_DEFAULT,                                       \
                             .tp_repr = counter_repr,                                              \
                             .tp_base = &nvtx_counter_type,                                        \
                             .tp_methods = its_methods}

COUNTER_TYPE(nvtx_int64_counter_type, "Int64Counter", "A counter of ints.", int64_methods);
COUNTER_TYPE(nvtx_float64_counter_type, "Float64Counter", "A counter of floats.", float64_methods);
COUNTER_TYPE(nvtx_ext_counter_type, "ExtCounter",
             "A counter of a NumPy dtype, or a group of counters.", ext_methods);
COUNTER_TYPE(
    nvtx_dummy_counter_type, "DummyCounter",
    "A Counter while no tool is attached: its methods record nothing; it becomes one of the\n"
    "other types when it is used with a tool.",
    dummy_methods);
