/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"

#include "annotated.h"
#include "arguments.h"
#include "attributes.h"
#include "domain.h"
#include "helper.h"
#include "nvtx_python.h"
#include "tool.h"

static const struct signature signature = {
    "annotate", {MESSAGE, COLOR, DOMAIN, CATEGORY, PAYLOAD}, 5, 5};

/* A program makes an annotate per block: a few freed ones are kept for reuse. */
#define N_SPARE 16

static struct annotate *spare[N_SPARE];
static int n_spare;

static void annotate_free(PyObject *self)
{
    struct annotate *annotate = (struct annotate *)self;
    nvtx_prepared_release(&annotate->prepared);
    if (PYTHON_HAS_GIL && Py_TYPE(self) == &nvtx_annotate_type && n_spare < N_SPARE)
        spare[n_spare++] = annotate;
    else
        Py_TYPE(self)->tp_free(self);
}

/* Makes an annotate of values that were checked; NULL with an exception. */
static PyObject *make(struct domain *domain, PyObject *const *given)
{
    struct annotate *self =
        PYTHON_HAS_GIL && n_spare > 0
            ? (struct annotate *)PyObject_Init((PyObject *)spare[--n_spare], &nvtx_annotate_type)
            : PyObject_New(struct annotate, &nvtx_annotate_type);
    if (self == NULL || nvtx_prepared_init(&self->prepared, domain, given, true) == 0)
        return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

/* An annotate of a subclass begins as that of no arguments; its __init__() has them. */
static PyObject *annotate_new_of(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *const given[N_ARGUMENTS] = {NULL};
    (void)args;
    (void)names;
    struct annotate *self = (struct annotate *)type->tp_alloc(type, 0);
    struct domain *domain = nvtx_get_domain(NULL);
    if (self != NULL && nvtx_prepared_init(&self->prepared, domain, given, true) != 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int annotate_init(PyObject *self, PyObject *args, PyObject *names)
{
    static char *names_of[] = {"message", "color", "domain", "category", "payload", NULL};
    PyObject *given[N_ARGUMENTS] = {NULL};
    struct prepared *prepared = &((struct annotate *)self)->prepared;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|OOOOO:annotate", names_of, &given[MESSAGE],
                                     &given[COLOR], &given[DOMAIN], &given[CATEGORY],
                                     &given[PAYLOAD]))
        return -1;
    struct domain *domain = nvtx_get_domain(given[DOMAIN]);
    if (domain == NULL)
        return -1;
    return nvtx_prepared_set(prepared, domain, given);
}

static bool is_decorable(PyObject *object)
{
    return PyCallable_Check(object) || PyObject_TypeCheck(object, &PyClassMethod_Type) ||
           PyObject_TypeCheck(object, &PyStaticMethod_Type);
}

static PyObject *annotate_new(PyObject *type, PyObject *const *args, size_t n, PyObject *names)
{
    (void)type;                /* subclasses are called by tp_new */
    static PyObject *disabled; /* one object for all threads */
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_disabled && PyVectorcall_NARGS(n) == 1 && is_decorable(args[0]))
        return Py_NewRef(args[0]);
    PyObject *known = nvtx_disabled ? nvtx_read_object(&disabled) : NULL;
    if (known != NULL)
        return Py_NewRef(known);
    if (!nvtx_disabled && PyVectorcall_NARGS(n) == 1 && names == NULL &&
        PyUnicode_CheckExact(args[0])) {
        given[MESSAGE] = args[0]; /* the usual case */
        return make(nvtx_get_domain(NULL), given);
    }
    if (!nvtx_disabled && nvtx_parse(&signature, args, PyVectorcall_NARGS(n), names, given) != 0)
        return NULL;
    PyObject *function = given[MESSAGE];
    if (function != NULL && is_decorable(function))
        given[MESSAGE] = NULL; /* @annotate, without parentheses */
    struct domain *domain = nvtx_get_domain(given[DOMAIN]);
    PyObject *self = domain != NULL ? make(domain, given) : NULL;
    if (nvtx_disabled && self != NULL)
        (void)nvtx_fill_once(&disabled, Py_NewRef(self));
    if (self == NULL || function == given[MESSAGE])
        return self;
    PyObject *made = PyObject_CallOneArg(self, function);
    Py_DECREF(self);
    return made;
}

/* ---- with ---- */

static PyObject *annotate_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (nvtx_is_heard() && nvtx_annotate_push((struct annotate *)self) != 0)
        return NULL;
    return Py_NewRef(self);
}

static PyObject *annotate_exit(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)args;
    (void)n_args;
    if (nvtx_is_heard())
        (void)nvtxDomainRangePop(((struct annotate *)self)->prepared.event.domain->handle);
    Py_RETURN_FALSE;
}

/* A copy of the event, with the payload as it is now, where that may change; it is to be released.
 * Returns 1; 0: the event has all; -1 with an exception. */
static int read_payload(struct prepared *prepared, struct event *made)
{
    struct replaced replaced;
    const struct event *event = nvtx_prepared_hold(prepared, NULL, &replaced);
    if (event == NULL)
        return -1;
    bool is_deferred = event->is_deferred;
    PyObject *payload = NULL;
    if (is_deferred) {
        *made = *event;
        made->text = Py_XNewRef(event->text);
        made->payload = NULL;
        payload = Py_NewRef(prepared->given[PAYLOAD]);
    }
    nvtx_prepared_let_go(prepared, &replaced);
    if (!is_deferred)
        return 0;
    int status = nvtx_event_read_payload(made, payload);
    Py_DECREF(payload);
    if (status == 0)
        return 1;
    nvtx_event_release(made);
    return -1;
}

static void begin(const struct event *event, nvtxRangeId_t *id)
{
    if (id != NULL)
        *id = nvtxDomainRangeStartEx(event->domain->handle, &event->attributes);
    else
        (void)nvtxDomainRangePushEx(event->domain->handle, &event->attributes);
}

/* Pushes the range, or with an id starts it. Returns 0, or -1 with an exception. */
static int send(struct prepared *prepared, nvtxRangeId_t *id)
{
    struct replaced replaced;
    struct event made;
    bool may_be_deferred =
        prepared->event.is_deferred || nvtx_read(&prepared->attached) != nvtx_read(&nvtx_attached);
    int status = may_be_deferred ? read_payload(prepared, &made) : 0;
    if (status < 0)
        return -1;
    if (status > 0) {
        begin(&made, id);
        nvtx_event_release(&made);
        return 0;
    }
    const struct event *event = nvtx_prepared_hold(prepared, NULL, &replaced);
    if (event == NULL)
        return -1;
    begin(event, id);
    nvtx_prepared_let_go(prepared, &replaced);
    return 0;
}

int nvtx_annotate_push(struct annotate *self)
{
    return send(&self->prepared, NULL);
}

/* ---- Coroutines and generators: start/end ranges, which no other task can end ---- */

static PyObject *annotate_start(PyObject *self, PyObject *parent)
{
    nvtxRangeId_t id = 0;
    uint64_t parent_id = 0;
    if (nvtx_is_heard()) {
        if (send(&((struct annotate *)self)->prepared, &id) != 0)
            return NULL;
        if (nvtx_range_id(parent, &parent_id) >= 0)
            nvtx_set_parent(id, parent_id);
    }
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *annotate_end(PyObject *self, PyObject *id)
{
    struct domain *domain = ((struct annotate *)self)->prepared.event.domain;
    uint64_t value;
    int status = nvtx_range_id(id, &value);
    if (status > 0)
        nvtxDomainRangeEnd(domain->handle, value);
    return status >= 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *call_helper(const char *name, PyObject *self)
{
    PyObject *function = nvtx_helper(name);
    return function != NULL ? PyObject_CallOneArg(function, self) : NULL;
}

static PyObject *annotate_aenter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call_helper("enter_async", self);
}

static PyObject *annotate_aexit(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)args;
    (void)n_args;
    return call_helper("exit_async", self);
}

/* ---- @ ---- */

/* Without a message, the name of the decorated function is the message. */
static int name_after(struct annotate *self, PyObject *function)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    /* not shared yet */
    if (self->prepared.given[MESSAGE] != NULL && self->prepared.given[MESSAGE] != Py_None)
        return 0;
    given[MESSAGE] = PyObject_GetAttrString(function, "__name__");
    if (given[MESSAGE] == NULL)
        return -1;
    int status = nvtx_prepared_set(&self->prepared, NULL, given);
    Py_DECREF(given[MESSAGE]);
    return status;
}

/* Whether a call only creates an object that runs later: a coroutine or a generator. */
static bool is_suspended(PyObject *function)
{
    const int flags = CO_COROUTINE | CO_GENERATOR | CO_ASYNC_GENERATOR;
    return PyFunction_Check(function) &&
           (((PyCodeObject *)PyFunction_GET_CODE(function))->co_flags & flags) != 0;
}

static PyObject *decorate(PyObject *self, PyObject *function)
{
    /* one annotate per function: an annotate without a message can decorate several functions */
    struct prepared *from = &((struct annotate *)self)->prepared;
    PyObject *given[N_KEPT], *made = NULL;
    struct domain *domain = nvtx_prepared_given(from, given);
    PyObject *own = make(domain, given);
    nvtx_release_given(given);
    if (own == NULL || name_after((struct annotate *)own, function) != 0)
        goto end;
    if (is_suspended(function)) {
        PyObject *helper = nvtx_helper("decorate");
        made = helper != NULL ? PyObject_CallFunctionObjArgs(helper, own, function, NULL) : NULL;
    } else {
        made = nvtx_annotated_new((struct annotate *)own, function);
    }
end:
    Py_XDECREF(own);
    return made;
}

static PyObject *annotate_call(PyObject *self, PyObject *args, PyObject *names)
{
    PyObject *function;
    if (nvtx_disabled && PyTuple_GET_SIZE(args) == 1)
        return Py_NewRef(PyTuple_GET_ITEM(args, 0));
    if (names != NULL && PyDict_GET_SIZE(names) > 0) {
        PyErr_SetString(PyExc_TypeError, "annotate() as a decorator takes a function only");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O:annotate", &function))
        return NULL;
    if (PyObject_TypeCheck(function, &PyClassMethod_Type) ||
        PyObject_TypeCheck(function, &PyStaticMethod_Type)) {
        PyObject *helper = nvtx_helper("decorate_inside");
        return helper != NULL ? PyObject_CallFunctionObjArgs(helper, self, function, NULL) : NULL;
    }
    if (!PyCallable_Check(function))
        return PyErr_Format(PyExc_TypeError, "function must be callable, not %.200s",
                            Py_TYPE(function)->tp_name);
    return decorate(self, function);
}

/* ---- The type ---- */

/* ---- Attributes ---- */

static PyObject *annotate_domain(PyObject *self, void *ignored)
{
    (void)ignored;
    return Py_NewRef((PyObject *)((struct annotate *)self)->prepared.event.domain);
}

static PyObject *annotate_attributes(PyObject *self, void *ignored)
{
    struct prepared *prepared = &((struct annotate *)self)->prepared;
    PyObject *given[N_KEPT];
    (void)ignored;
    struct domain *domain = nvtx_prepared_given(prepared, given);
    PyObject *made = nvtx_attributes_new(domain, given);
    nvtx_release_given(given);
    return made;
}

static PyObject *annotate_init_args(PyObject *self, void *ignored)
{
    PyObject *given[N_KEPT];
    (void)ignored;
    (void)nvtx_prepared_given(&((struct annotate *)self)->prepared, given);
#define OR_NONE(i) (given[i] != NULL ? given[i] : Py_None)
    PyObject *all = PyTuple_Pack(5, OR_NONE(MESSAGE), OR_NONE(COLOR), OR_NONE(DOMAIN),
                                 OR_NONE(CATEGORY), OR_NONE(PAYLOAD));
#undef OR_NONE
    nvtx_release_given(given);
    return all;
}

static PyObject *annotate_mutable_payload(PyObject *self, void *ignored)
{
    PyObject *given[N_KEPT];
    (void)ignored;
    (void)nvtx_prepared_given(&((struct annotate *)self)->prepared, given);
    PyObject *payload = given[PAYLOAD];
    payload = Py_NewRef(payload != NULL && nvtx_is_mutable(payload) ? payload : Py_None);
    nvtx_release_given(given);
    return payload;
}

static PyObject *annotate_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return Py_BuildValue("ON", Py_TYPE(self), annotate_init_args(self, NULL));
}

static PyGetSetDef values[] = {
    {"domain", annotate_domain, NULL, PyDoc_STR("the Domain"), NULL},
    {"attributes", annotate_attributes, NULL,
     PyDoc_STR("an EventAttributes of the same values; changing it does not change the annotate"),
     NULL},
    {"init_args", annotate_init_args, NULL, PyDoc_STR("the five arguments, a tuple"), NULL},
    {"mutable_payload", annotate_mutable_payload, NULL,
     PyDoc_STR("the payload, if it is read again each time; else None"), NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define AS_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef methods[] = {
    {"__enter__", annotate_enter, METH_NOARGS, NULL},
    {"__exit__", AS_FUNCTION(annotate_exit), METH_FASTCALL, NULL},
    {"__aenter__", annotate_aenter, METH_NOARGS, NULL},
    {"__aexit__", AS_FUNCTION(annotate_aexit), METH_FASTCALL, NULL},
    {"_start", annotate_start, METH_O,
     PyDoc_STR(
         "Begins a start/end range that is part of that of an id, or, with 0, of none: its id.")},
    {"_end", annotate_end, METH_O, PyDoc_STR("Ends the range of an id.")},
    {"__reduce__", annotate_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static const char doc[] =
    "annotate(message=None, color=None, domain=None, category=None, payload=None)\n--\n\n"
    "A range around a block or the calls of a function.\n"
    "\n"
    "    with annotate(\"load\", color=\"green\"):\n"
    "        ...\n"
    "\n"
    "    @annotate()               # the message is the function's name\n"
    "    def step(batch):\n"
    "        ...\n"
    "\n"
    "Arguments are those of push_range(). One object\n"
    "can be entered many times, also by several threads at once. In coroutines use\n"
    "`async with`; decorated coroutines, generators and asynchronous generators get a range from\n"
    "their first step to their end, which other tasks cannot end by mistake.\n";

PyTypeObject nvtx_annotate_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name =
                                       "rangefinder.nvtx.annotate",
                                   .tp_doc = doc,
                                   .tp_basicsize = sizeof(struct annotate),
                                   .tp_dealloc = annotate_free,
                                   .tp_call = annotate_call,
                                   .tp_vectorcall = annotate_new,
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                   .tp_free = PyObject_Free,
                                   .tp_new = annotate_new_of,
                                   .tp_init = annotate_init,
                                   .tp_getset = values,
                                   .tp_methods = methods};
