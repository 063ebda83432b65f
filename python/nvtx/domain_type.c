/* SPDX-License-Identifier: Apache-2.0 */
/* Domain and DummyDomain as types. */
#include "domain_type.h"

#include "arguments.h"
#include "attributes.h"
#include <nvtx3/nvToolsExtPayload.h>

#include "domain.h"
#include "event.h"
#include "forgive.h"
#include "helper.h"
#include "nvtx_python.h"
#include "registered.h"
#include "tool.h"

static const struct signature mark_signature = {
    "mark", {ATTRIBUTES, MESSAGE, COLOR, CATEGORY, PAYLOAD}, 1, 5};
static const struct signature push_signature = {
    "push_range", {ATTRIBUTES, MESSAGE, COLOR, CATEGORY, PAYLOAD}, 1, 5};
static const struct signature start_signature = {
    "start_range", {ATTRIBUTES, MESSAGE, COLOR, CATEGORY, PAYLOAD}, 1, 5};
static const struct signature make_signature = {
    "get_event_attributes", {MESSAGE, COLOR, CATEGORY, PAYLOAD}, 4, 4};
static const struct signature end_signature = {"end_range", {RANGE_ID}, 1, 1};
static const struct signature register_signature = {"get_registered_string", {STRING}, 1, 1};
static const struct signature category_signature = {"get_category_id", {NAME}, 1, 1};
static const struct signature set_signature = {
    "set_event_attributes", {ATTRIBUTES, MESSAGE, COLOR, CATEGORY, PAYLOAD}, 1, 5};

static struct prepared *as_attributes(PyObject *value)
{
    return value != NULL && Py_TYPE(value) == &nvtx_attributes_type ? (struct prepared *)value
                                                                    : NULL;
}

/* What stands in the place of an EventAttributes: text is the message, the rest is left out; both
 * are said. Returns 0, or -1 with an exception. */
static int read_odd_attributes(PyObject **given)
{
    PyObject *value = given[ATTRIBUTES];
    if (value == NULL || value == Py_None)
        return 0;
    bool is_message = given[MESSAGE] == NULL &&
                      (PyUnicode_Check(value) || Py_TYPE(value) == &nvtx_registered_type);
    if (is_message)
        given[MESSAGE] = value;
    return nvtx_warn_type("attributes", "an EventAttributes", value,
                          is_message ? "taken as the message" : "left out");
}

/* The event that a method was given, prepared or in single values. */
struct sent {
    struct prepared *prepared; /* NULL: in single values */
    struct replaced replaced;
    struct event made;
};

/* Returns the event, which is to be done with by done(); NULL: none is to be sent, with an
 * exception or because no tool is attached. */
static const struct event *read_event(struct domain *domain, const struct signature *signature,
                                      PyObject *const *args, Py_ssize_t n_args, PyObject *names,
                                      struct sent *sent)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_parse(signature, args, n_args, names, given) != 0)
        return NULL;
    sent->prepared = as_attributes(given[ATTRIBUTES]);
    if (sent->prepared != NULL && nvtx_is_heard())
        return nvtx_prepared_hold(sent->prepared, names != NULL ? given : NULL, &sent->replaced);
    if (sent->prepared != NULL && names != NULL)
        (void)nvtx_prepared_set(sent->prepared, NULL, given);
    if (sent->prepared != NULL || !nvtx_is_heard() || read_odd_attributes(given) != 0)
        return NULL;
    return nvtx_event_init(&sent->made, domain, given, false) == 0 ? &sent->made : NULL;
}

static inline void done(struct sent *sent)
{
    if (sent->prepared != NULL)
        nvtx_prepared_let_go(sent->prepared, &sent->replaced);
    else
        nvtx_event_release(&sent->made);
}

/* Whether a call has an EventAttributes as its only argument, while no tool is attached. */
static inline bool is_idle(PyObject *const *args, Py_ssize_t n_args, PyObject *names)
{
    return !nvtx_is_heard() && n_args == 1 && names == NULL && as_attributes(args[0]) != NULL;
}

static PyObject *domain_mark(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names)
{
    struct domain *domain = (struct domain *)self;
    struct sent sent;
    if (is_idle(args, n_args, names))
        Py_RETURN_NONE;
    const struct event *event = read_event(domain, &mark_signature, args, n_args, names, &sent);
    if (event == NULL)
        return nvtx_none_or_error();
    nvtxDomainMarkEx(domain->handle, &event->attributes);
    done(&sent);
    Py_RETURN_NONE;
}

static PyObject *domain_push(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names)
{
    struct domain *domain = (struct domain *)self;
    struct sent sent;
    if (is_idle(args, n_args, names))
        Py_RETURN_NONE;
    const struct event *event = read_event(domain, &push_signature, args, n_args, names, &sent);
    if (event == NULL)
        return nvtx_none_or_error();
    (void)nvtxDomainRangePushEx(domain->handle, &event->attributes);
    done(&sent);
    Py_RETURN_NONE;
}

static PyObject *domain_pop(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (nvtx_is_heard())
        (void)nvtxDomainRangePop(((struct domain *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *domain_start(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names)
{
    struct domain *domain = (struct domain *)self;
    struct sent sent;
    nvtxRangeId_t id = 0;
    const struct event *event = read_event(domain, &start_signature, args, n_args, names, &sent);
    if (event == NULL && PyErr_Occurred())
        return NULL;
    if (event != NULL) {
        id = nvtxDomainRangeStartEx(domain->handle, &event->attributes);
        done(&sent);
    }
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *domain_end(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names)
{
    uint64_t value;
    PyObject *id = nvtx_parse_one(&end_signature, args, n_args, names);
    int status = id != NULL ? nvtx_range_id(id, &value) : -1;
    if (status < 0)
        return NULL;
    if (status > 0)
        nvtxDomainRangeEnd(((struct domain *)self)->handle, value);
    Py_RETURN_NONE;
}

static PyObject *domain_make_attributes(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                        PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_parse(&make_signature, args, n_args, names, given) != 0)
        return NULL;
    return nvtx_attributes_new((struct domain *)self, given);
}

static PyObject *domain_set_attributes(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                       PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    (void)self;
    if (nvtx_parse(&set_signature, args, n_args, names, given) != 0)
        return NULL;
    struct prepared *prepared = as_attributes(given[ATTRIBUTES]);
    if (prepared != NULL ? nvtx_prepared_set(prepared, NULL, given) : read_odd_attributes(given))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *domain_register(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                 PyObject *names)
{
    PyObject *message = nvtx_parse_one(&register_signature, args, n_args, names);
    return message != NULL ? nvtx_registered_new((struct domain *)self, message) : NULL;
}

static PyObject *domain_category(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                 PyObject *names)
{
    uint32_t id;
    PyObject *name = nvtx_parse_one(&category_signature, args, n_args, names);
    if (name == NULL || nvtx_category((struct domain *)self, name, &id) != 0)
        return NULL;
    return PyLong_FromUnsignedLong(id);
}

static PyObject *domain_is_enabled(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(nvtx_is_heard() && nvtxDomainIsEnabled(((struct domain *)self)->handle));
}

/* In Python: it is called once per counter. */
static PyObject *domain_get_counter(PyObject *self, PyObject *args, PyObject *names)
{
    PyObject *function = nvtx_helper("get_counter"), *counter = NULL;
    if (function == NULL)
        return NULL;
    PyObject *first = PyTuple_Pack(1, self);
    PyObject *all = first != NULL ? PySequence_Concat(first, args) : NULL;
    if (all != NULL)
        counter = PyObject_Call(function, all, names);
    Py_XDECREF(first);
    Py_XDECREF(all);
    return counter;
}

static PyObject *domain_get_timestamp(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyLong_FromLongLong(nvtx_is_heard() ? nvtxTimestampGet() : 0);
}

static PyObject *domain_handle(PyObject *self, void *ignored)
{
    PyObject *function = nvtx_helper("handle_of");
    (void)ignored;
    return function != NULL ? PyObject_CallOneArg(function, self) : NULL;
}

static PyObject *domain_categories(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyDict_Copy(((struct domain *)self)->categories);
}

static PyObject *domain_name(PyObject *self, void *ignored)
{
    PyObject *name = ((struct domain *)self)->name;
    (void)ignored;
    return name != NULL ? Py_NewRef(name) : PyUnicode_FromString("NVTX");
}

static PyObject *domain_reduce(PyObject *self, PyObject *ignored)
{
    PyObject *name = ((struct domain *)self)->name, *function = nvtx_helper("get_domain");
    (void)ignored;
    return function != NULL ? Py_BuildValue("O(O)", function, name != NULL ? name : Py_None) : NULL;
}

static PyObject *domain_repr(PyObject *self)
{
    PyObject *name = ((struct domain *)self)->name;
    return name != NULL ? PyUnicode_FromFormat("Domain(%R)", name)
                        : PyUnicode_FromString("Domain(None)");
}

static PyObject *domain_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *name_of[] = {"name", NULL};
    PyObject *name = Py_None;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:Domain", name_of, &name))
        return NULL;
    return Py_XNewRef((PyObject *)nvtx_get_domain(name));
}

#define FAST           (METH_FASTCALL | METH_KEYWORDS)
#define AS_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef domain_methods[] = {
    {"mark", AS_FUNCTION(domain_mark), FAST,
     PyDoc_STR("mark($self, attributes=None, *, message=None, color=None, category=None,\n"
               "     payload=None)\n--\n\n"
               "Marks a moment. attributes: from get_event_attributes(); values given by name\n"
               "replace the ones in it. See rangefinder.nvtx.mark().")},
    {"push_range", AS_FUNCTION(domain_push), FAST,
     PyDoc_STR("push_range($self, attributes=None, *, message=None, color=None, category=None,\n"
               "           payload=None)\n--\n\n"
               "Begins a range on the calling thread; pop_range() ends it.\n"
               "See rangefinder.nvtx.push_range().")},
    {"pop_range", domain_pop, METH_NOARGS,
     PyDoc_STR("pop_range($self)\n--\n\n"
               "Ends the range of this domain that the calling thread pushed last.")},
    {"start_range", AS_FUNCTION(domain_start), FAST,
     PyDoc_STR("start_range($self, attributes=None, *, message=None, color=None, category=None,\n"
               "            payload=None)\n--\n\n"
               "Begins a range that any thread can end. Returns its id, an int, for\n"
               "Domain.end_range().")},
    {"end_range", AS_FUNCTION(domain_end), FAST,
     PyDoc_STR("end_range($self, range_id)\n--\n\n"
               "Ends the range of an id that start_range() returned. An id that is not that of a\n"
               "running range is ignored.")},
    {"get_event_attributes", AS_FUNCTION(domain_make_attributes), FAST,
     PyDoc_STR("get_event_attributes($self, message=None, color=None, category=None,\n"
               "                     payload=None)\n--\n\n"
               "Returns an EventAttributes: checked and converted once, used often.\n"
               "\n"
               "    step = domain.get_event_attributes(\"step\", color=\"green\")\n"
               "    domain.push_range(step, payload=7)\n"
               "    domain.pop_range()")},
    {"set_event_attributes", AS_FUNCTION(domain_set_attributes), FAST,
     PyDoc_STR("set_event_attributes($self, attributes, *, message=None, color=None,\n"
               "                     category=None, payload=None)\n--\n\n"
               "Replaces the values that are given by name.")},
    {"get_registered_string", AS_FUNCTION(domain_register), FAST,
     PyDoc_STR(
         "get_registered_string($self, string)\n--\n\n"
         "Registers a str, and returns a RegisteredString. The same str gives the same one.")},
    {"get_category_id", AS_FUNCTION(domain_category), FAST,
     PyDoc_STR(
         "get_category_id($self, name)\n--\n\n"
         "The id, an int from 1, of a category in this domain; a new name gets the next one.")},
    {"get_counter", AS_FUNCTION(domain_get_counter), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "get_counter($self, name, dtype, *, description=None, scope=None,\n"
         "            semantics=None, time_domain=None)\n--\n\n"
         "The Counter of a name; the same arguments give the same one. dtype: int, float, or\n"
         "what numpy.dtype() takes, a structured one for a group of counters. scope: a str, the\n"
         "path of what is counted. semantics: a CounterSemantics. time_domain: a TimestampType,\n"
         "of the timestamps of batch_submit(); None: those of get_timestamp().\n"
         "\n"
         "    loss = domain.get_counter(\"loss\", float)\n"
         "    loss.sample(0.42)\n"
         "\n"
         "Raises TypeError for a dtype that cannot be one of a counter, RuntimeError where it\n"
         "needs NumPy and there is none.")},
    {"get_timestamp", domain_get_timestamp, METH_NOARGS,
     PyDoc_STR("get_timestamp($self)\n--\n\n"
               "The time now, an int, for Counter.batch_submit(); 0 while no tool is attached.")},
    {"is_enabled", domain_is_enabled, METH_NOARGS,
     PyDoc_STR("is_enabled($self)\n--\n\n"
               "bool: whether a tool is attached that wants events of this domain.")},
    {"__reduce__", domain_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef domain_values[] = {
    {"name", domain_name, NULL, PyDoc_STR("The name, a str."), NULL},
    {"handle", domain_handle, NULL, PyDoc_STR("What rangefinder.nvtx._lib's functions take."),
     NULL},
    {"categories", domain_categories, NULL, PyDoc_STR("The ids of categories by name: a copy."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject nvtx_domain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.Domain",
    .tp_doc = PyDoc_STR("Domain(name=None)\n--\n\n"
                        "The events of one part of a program, apart from all others. There is one\n"
                        "per name; it lives as long as the process. None and \"NVTX\" are NVTX's\n"
                        "default domain."),
    .tp_basicsize = sizeof(struct domain),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = domain_new,
    .tp_repr = domain_repr,
    .tp_methods = domain_methods,
    .tp_getset = domain_values};

PyTypeObject nvtx_dummy_domain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.DummyDomain",
    .tp_doc = PyDoc_STR("A Domain while no tool is attached. All its methods are\n"
                        "there and record nothing; it becomes a Domain when a tool is attached."),
    .tp_basicsize = sizeof(struct domain),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &nvtx_domain_type,
    .tp_repr = domain_repr,
    .tp_methods =
        domain_methods}; /* not inherited: CPython calls inherited methods by a slower path */
