/* SPDX-License-Identifier: Apache-2.0 */
/* Since Python 3.12: sys.monitoring, for all threads at once; what is left out costs nothing after
 * its first call. */
#include "profile_calls.h"

#include "profile.h"

#if PY_VERSION_HEX >= 0x030c0000

static PyObject *monitoring, *disabled;

static PyObject *answer(int status)
{
    if (status < 0)
        return NULL;
    return Py_NewRef(status > 0 ? Py_None : disabled);
}

static PyObject *on_start(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    return n > 0 && profile != NULL ? answer(nvtx_profile_enter(profile, (PyCodeObject *)args[0]))
                                    : Py_NewRef(Py_None);
}

static PyObject *on_return(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    return n > 0 && profile != NULL ? answer(nvtx_profile_leave(profile, (PyCodeObject *)args[0]))
                                    : Py_NewRef(Py_None);
}

/* Events that exceptions cause cannot be disabled per code location. */
static PyObject *on_throw(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    if (n > 0 && profile != NULL && nvtx_profile_enter(profile, (PyCodeObject *)args[0]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *on_unwind(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    if (n > 0 && profile != NULL)
        (void)nvtx_profile_leave(profile, (PyCodeObject *)args[0]);
    Py_RETURN_NONE;
}

/* Calls of Python functions are reported as PY_START. */
static bool is_python(PyObject *callable)
{
    return PyFunction_Check(callable) ||
           (PyMethod_Check(callable) && PyFunction_Check(PyMethod_GET_FUNCTION(callable)));
}

static PyObject *on_call(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    return n > 2 && profile != NULL && !is_python(args[2])
               ? answer(nvtx_profile_enter_c(profile, (PyCodeObject *)args[0], args[2]))
               : Py_NewRef(Py_None);
}

static PyObject *on_c_return(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    if (n > 2 && profile != NULL && !is_python(args[2]))
        (void)nvtx_profile_leave(profile, (PyCodeObject *)args[0]);
    Py_RETURN_NONE;
}

#define HANDLER(name, function, is_c)                                                              \
    {                                                                                              \
        name, {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL}, is_c           \
    }

static struct handler {
    const char *event;
    PyMethodDef method;
    bool is_c;
} handlers[] = {HANDLER("PY_START", on_start, false),   HANDLER("PY_RESUME", on_start, false),
                HANDLER("PY_RETURN", on_return, false), HANDLER("PY_YIELD", on_return, false),
                HANDLER("PY_THROW", on_throw, false),   HANDLER("PY_UNWIND", on_unwind, false),
                HANDLER("CALL", on_call, true),         HANDLER("C_RETURN", on_c_return, true),
                HANDLER("C_RAISE", on_c_return, true)};

#define N_HANDLERS (sizeof(handlers) / sizeof(handlers[0]))

/* The number of one of sys.monitoring.events; -1 with an exception. */
static long event_number(const char *name)
{
    PyObject *events = PyObject_GetAttrString(monitoring, "events");
    PyObject *number = events != NULL ? PyObject_GetAttrString(events, name) : NULL;
    long value = number != NULL ? PyLong_AsLong(number) : -1;
    Py_XDECREF(events);
    Py_XDECREF(number);
    return value;
}

static int call_monitoring(const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    PyObject *function = PyObject_GetAttrString(monitoring, name);
    PyObject *args = function != NULL ? Py_VaBuildValue(format, list) : NULL;
    PyObject *done = args != NULL ? PyObject_CallObject(function, args) : NULL;
    va_end(list);
    Py_XDECREF(function);
    Py_XDECREF(args);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}

#define TOOL 2 /* sys.monitoring.PROFILER_ID */

static int set_handler(struct handler *handler, bool is_on, long *events)
{
    long number = event_number(handler->event);
    PyObject *function = is_on ? PyCFunction_New(&handler->method, NULL) : Py_NewRef(Py_None);
    int status = number >= 0 && function != NULL
                     ? call_monitoring("register_callback", "(ilO)", TOOL, number, function)
                     : -1;
    Py_XDECREF(function);
    *events |= number;
    return status;
}

static int set_handlers(const struct profile *profile, bool is_on)
{
    long events = 0;
    for (size_t i = 0; i < N_HANDLERS; i++)
        if ((!handlers[i].is_c || profile->has_c_calls) &&
            set_handler(&handlers[i], is_on, &events) != 0)
            return -1;
    return call_monitoring("set_events", "(il)", TOOL, is_on ? events : 0L);
}

static int find_monitoring(void)
{
    if (monitoring != NULL)
        return 0;
    monitoring = Py_XNewRef(PySys_GetObject("monitoring")); /* borrowed */
    disabled = monitoring != NULL ? PyObject_GetAttrString(monitoring, "DISABLE") : NULL;
    return disabled != NULL ? 0 : -1;
}

int nvtx_profile_begin(const struct profile *profile)
{
    if (find_monitoring() != 0)
        return -1;
    if (call_monitoring("use_tool_id", "(is)", TOOL, "rangefinder") != 0) {
        PyErr_Clear();
        PyErr_SetString(PyExc_RuntimeError,
                        "another profiler uses sys.monitoring (cProfile?): end it first");
        return -1;
    }
    if (set_handlers(profile, true) == 0 && call_monitoring("restart_events", "()") == 0)
        return 0;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    (void)nvtx_profile_end(profile);
    PyErr_Restore(type, value, trace);
    return -1;
}

int nvtx_profile_end(const struct profile *profile)
{
    int status = set_handlers(profile, false);
    return call_monitoring("free_tool_id", "(i)", TOOL) == 0 ? status : -1;
}

#endif
