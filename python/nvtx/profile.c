/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <stdlib.h>

#include "arguments.h"
#include "domain.h"
#include "event.h"
#include "helper.h"
#include "nvtx_python.h"
#include "profile_calls.h"
#include "threads.h"
#include "tool.h"

#if PY_VERSION_HEX >= 0x030c0000
#define request_extra_index PyUnstable_Eval_RequestCodeExtraIndex
#define get_extra           PyUnstable_Code_GetExtra
#define set_extra           PyUnstable_Code_SetExtra
#else
#define request_extra_index _PyEval_RequestCodeExtraIndex
#define get_extra           _PyCode_GetExtra
#define set_extra           _PyCode_SetExtra
#endif

/* What is known about a function, stored with its code object. */
struct code_range {
    unsigned generation; /* the generation in which this was found out; stored last */
    bool is_left_out;
    nvtxEventAttributes_t attributes;
};

static struct profile *profile_on;
static struct guard mutex; /* of what is stored with code objects */
static Py_ssize_t extra_index = -1;
static unsigned generation; /* each enable() begins a new one */

struct profile *nvtx_profile(void)
{
    return __atomic_load_n(&profile_on, PYTHON_HAS_GIL ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
}

/* Open ranges of the thread in this generation. */
static __thread struct {
    unsigned generation, depth;
} open_here;

/* ---- Ranges ---- */

static unsigned *depth(void)
{
    unsigned now = nvtx_read(&generation);
    if (open_here.generation != now) {
        open_here.generation = now;
        open_here.depth = 0;
    }
    return &open_here.depth;
}

static void push(struct profile *profile, const nvtxEventAttributes_t *attributes)
{
    (void)nvtxDomainRangePushEx(profile->domain->handle, attributes);
    ++*depth();
}

static void pop(struct profile *profile)
{
    unsigned *n = depth();
    if (*n == 0) /* the function began before enable() */
        return;
    --*n;
    (void)nvtxDomainRangePop(profile->domain->handle);
}

static int set_message(struct profile *profile, nvtxEventAttributes_t *attributes,
                       PyObject *message)
{
    PyObject *given[N_ARGUMENTS] = {[MESSAGE] = message};
    struct event event;
    if (nvtx_event_init(&event, profile->domain, given, false) != 0)
        return -1;
    *attributes = event.attributes;
    if (event.text != NULL) { /* too many strings are registered */
        attributes->messageType = NVTX_MESSAGE_UNKNOWN;
        nvtx_event_release(&event);
    }
    return 0;
}

/* Asks the Python part for the function's name; None if it is left out. */
static int find_out(struct profile *profile, PyCodeObject *code, struct code_range *range)
{
    PyObject *helper = nvtx_helper("profile_message");
    struct code_range found = {.generation = nvtx_read(&generation)};
    PyObject *message = helper != NULL
                            ? PyObject_CallFunctionObjArgs(helper, (PyObject *)code,
                                                           profile->has_lines ? Py_True : Py_False,
                                                           profile->include, profile->exclude, NULL)
                            : NULL;
    if (message == NULL)
        return -1;
    found.is_left_out = message == Py_None;
    int status = found.is_left_out ? 0 : set_message(profile, &found.attributes, message);
    Py_DECREF(message);
    if (status != 0)
        return -1;
    guard_lock(&mutex);
    if (range->generation != found.generation) { /* else another thread has found the same */
        range->is_left_out = found.is_left_out;
        range->attributes = found.attributes;
        nvtx_publish(&range->generation, found.generation);
    }
    guard_unlock(&mutex);
    return 0;
}

/* What is stored with the code; NULL: nothing. */
static struct code_range *stored_range(PyCodeObject *code)
{
    struct code_range *range = NULL;
    guard_lock(&mutex);
    (void)get_extra((PyObject *)code, extra_index, (void **)&range);
    guard_unlock(&mutex);
    return range;
}

/* Stores an empty range with the code, unless another thread has. NULL with an exception. */
static struct code_range *store_range(PyCodeObject *code)
{
    struct code_range *range = NULL;
    guard_lock(&mutex);
    (void)get_extra((PyObject *)code, extra_index, (void **)&range);
    if (range == NULL && (range = calloc(1, sizeof(*range))) != NULL &&
        set_extra((PyObject *)code, extra_index, range) != 0) {
        free(range);
        range = NULL;
    }
    guard_unlock(&mutex);
    if (range == NULL)
        PyErr_NoMemory();
    return range;
}

/* What is known about the code; NULL with an exception. */
static const struct code_range *range_of(struct profile *profile, PyCodeObject *code)
{
    struct code_range *range = stored_range(code);
    if (range == NULL && (range = store_range(code)) == NULL)
        return NULL;
    return nvtx_read(&range->generation) == nvtx_read(&generation) ||
                   find_out(profile, code, range) == 0
               ? range
               : NULL;
}

/* Python's code may run in between, and end the profile. Without the GIL none is freed: disable().
 */
static void hold(struct profile *profile)
{
    if (PYTHON_HAS_GIL)
        Py_INCREF(profile);
}

static void let_go(struct profile *profile)
{
    if (PYTHON_HAS_GIL)
        Py_DECREF(profile);
}

static int enter_code(struct profile *profile, PyCodeObject *code)
{
    const struct code_range *range = range_of(profile, code);
    if (range == NULL)
        return -1;
    if (range->is_left_out)
        return 0;
    push(profile, &range->attributes);
    return 1;
}

int nvtx_profile_enter(struct profile *profile, PyCodeObject *code)
{
    hold(profile);
    int status = enter_code(profile, code);
    let_go(profile);
    return status;
}

int nvtx_profile_leave(struct profile *profile, PyCodeObject *code)
{
    const struct code_range *range = stored_range(code);
    if (range == NULL || nvtx_read(&range->generation) != nvtx_read(&generation))
        return 1;
    if (range->is_left_out)
        return 0;
    pop(profile);
    return 1;
}

static int enter_callable(struct profile *profile, PyCodeObject *code, PyObject *callable)
{
    nvtxEventAttributes_t attributes;
    const struct code_range *caller = range_of(profile, code);
    if (caller == NULL || caller->is_left_out)
        return caller == NULL ? -1 : 0;
    PyObject *name = PyObject_GetAttrString(callable, "__qualname__");
    if (name == NULL || !PyUnicode_Check(name)) {
        PyErr_Clear();
        Py_XSETREF(name, PyUnicode_FromString(Py_TYPE(callable)->tp_name));
    }
    int status = name != NULL ? set_message(profile, &attributes, name) : -1;
    Py_XDECREF(name);
    if (status != 0)
        return -1;
    push(profile, &attributes);
    return 1;
}

int nvtx_profile_enter_c(struct profile *profile, PyCodeObject *code, PyObject *callable)
{
    hold(profile);
    int status = enter_callable(profile, code, callable);
    let_go(profile);
    return status;
}

/* ---- The type ---- */

/* The patterns of an argument, which is None, a str or a sequence of them, as a new tuple. */
static PyObject *patterns_of(PyObject *patterns)
{
    if (patterns == NULL || patterns == Py_None)
        return PyTuple_New(0);
    if (PyUnicode_Check(patterns))
        return PyTuple_Pack(1, patterns);
    return PySequence_Tuple(patterns);
}

static PyObject *profile_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *name_of[] = {"linenos", "annotate_cfuncs", "include", "exclude", NULL};
    int has_lines = 1, has_c_calls = 1;
    PyObject *include = NULL, *exclude = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|pp$OO:Profile", name_of, &has_lines,
                                     &has_c_calls, &include, &exclude))
        return NULL;
    struct profile *self = (struct profile *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->has_lines = has_lines != 0;
    self->has_c_calls = has_c_calls != 0;
    self->include = patterns_of(include);
    self->exclude = patterns_of(exclude);
    if (self->include == NULL || self->exclude == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void profile_free(PyObject *self)
{
    struct profile *profile = (struct profile *)self;
    Py_XDECREF(profile->include);
    Py_XDECREF(profile->exclude);
    Py_TYPE(self)->tp_free(self);
}

static int set_domain(struct profile *profile)
{
    PyObject *name = PyUnicode_InternFromString("nvtx.py");
    profile->domain = name != NULL ? nvtx_get_domain(name) : NULL;
    Py_XDECREF(name);
    return profile->domain != NULL ? 0 : -1;
}

/* Makes a profile the one that is on, unless another is. */
static bool be_on(struct profile *profile)
{
    struct profile *none = NULL;
    return __atomic_compare_exchange_n(&profile_on, &none, profile, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void be_off(void)
{
    __atomic_store_n(&profile_on, NULL, __ATOMIC_RELEASE);
}

static bool is_on(const struct profile *profile)
{
    return __atomic_load_n(&profile->is_on, __ATOMIC_ACQUIRE);
}

/* Returns what it was. */
static bool set_is_on(struct profile *profile, bool value)
{
    return __atomic_exchange_n(&profile->is_on, value, __ATOMIC_ACQ_REL);
}

static PyObject *enable(PyObject *self, PyObject *ignored)
{
    struct profile *profile = (struct profile *)self;
    (void)ignored;
    if (!nvtx_is_heard() || is_on(profile))
        Py_RETURN_NONE;
    if (nvtx_profile() != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "another Profile is enabled: disable it first");
        return NULL;
    }
    if (set_domain(profile) != 0)
        return NULL;
    if (!be_on(profile)) {
        PyErr_SetString(PyExc_RuntimeError, "another Profile is enabled: disable it first");
        return NULL;
    }
    if (extra_index < 0)
        extra_index = request_extra_index(free);
    nvtx_publish(&generation, generation + 1);
    if (nvtx_profile_begin(profile) != 0) {
        be_off();
        return NULL;
    }
    Py_INCREF(self); /* while the profile is on */
    set_is_on(profile, true);
    Py_RETURN_NONE;
}

static PyObject *disable(PyObject *self, PyObject *ignored)
{
    struct profile *profile = (struct profile *)self;
    (void)ignored;
    if (!set_is_on(profile, false)) /* the first of several threads ends it */
        Py_RETURN_NONE;
    int status = nvtx_profile_end(profile);
    while (*depth() > 0)
        pop(profile);
    be_off();
    let_go(profile); /* without the GIL another thread may be about to push a range of it */
    return status == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *enter(PyObject *self, PyObject *ignored)
{
    PyObject *done = enable(self, ignored);
    Py_XDECREF(done);
    return done != NULL ? Py_NewRef(self) : NULL;
}

static PyObject *leave(PyObject *self, PyObject *args)
{
    PyObject *done = disable(self, args);
    Py_XDECREF(done);
    return done != NULL ? Py_NewRef(Py_False) : NULL;
}

static PyMethodDef methods[] = {
    {"enable", enable, METH_NOARGS,
     PyDoc_STR(
         "enable($self)\n--\n\n"
         "Begins to annotate, on all threads; before Python 3.12 on this one and those that\n"
         "start later. Does nothing with no tool attached. Raises RuntimeError where another\n"
         "Profile, or another profiler of sys.monitoring, is enabled.")},
    {"disable", disable, METH_NOARGS,
     PyDoc_STR("disable($self)\n--\n\n"
               "Ends it. The ranges that this thread has open end here.")},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static const char doc[] =
    "Profile(linenos=True, annotate_cfuncs=True, *, include=None, exclude=None)\n--\n\n"
    "A range around every function that runs, in the domain \"nvtx.py\".\n"
    "\n"
    "linenos: messages say where it is defined, \"train.py:12(step)\"; otherwise \"step\".\n"
    "annotate_cfuncs: functions that are not written in Python too.\n"
    "include, exclude: a str or several: shell patterns that are compared with the path of the "
    "file,\n"
    "    its name, and the name of the function. Functions written in Python are annotated if one "
    "of\n"
    "    include fits, or there is none, and none of exclude does.\n"
    "\n"
    "    with rangefinder.nvtx.Profile(include=\"train*.py\"):\n"
    "        ...\n";

PyTypeObject nvtx_profile_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name =
                                      "rangefinder.nvtx.Profile",
                                  .tp_doc = doc,
                                  .tp_basicsize = sizeof(struct profile),
                                  .tp_flags = Py_TPFLAGS_DEFAULT,
                                  .tp_new = profile_new,
                                  .tp_dealloc = profile_free,
                                  .tp_methods = methods};
