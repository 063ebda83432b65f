/* SPDX-License-Identifier: Apache-2.0 */
/* Before Python 3.12: a function per thread that the interpreter calls. */
#include "profile_calls.h"

#include "profile.h"

#if PY_VERSION_HEX < 0x030c0000
#include <frameobject.h>

static int on_call(struct profile *profile, PyCodeObject *code, int what, PyObject *arg)
{
    switch (what) {
    case PyTrace_CALL:
        return nvtx_profile_enter(profile, code);
    case PyTrace_RETURN:
        return nvtx_profile_leave(profile, code);
    case PyTrace_C_CALL:
        return profile->has_c_calls ? nvtx_profile_enter_c(profile, code, arg) : 0;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
        return profile->has_c_calls ? nvtx_profile_leave(profile, code) : 0;
    default:
        return 0;
    }
}

static int on_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    struct profile *profile = nvtx_profile();
    (void)self;
    if (profile == NULL) /* another thread has disabled the profile */
        return 0;
    PyCodeObject *code = PyFrame_GetCode(frame);
    int status = on_call(profile, code, what, arg);
    Py_DECREF(code);
    return status < 0 ? -1 : 0;
}

/* The function for threading.setprofile(): a new thread calls it with its first event. */
static PyObject *on_thread(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    PyEval_SetProfile(nvtx_profile() != NULL ? on_event : NULL, NULL);
    Py_RETURN_NONE;
}

static int set_for_threads(PyObject *function)
{
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *done =
        threading != NULL ? PyObject_CallMethod(threading, "setprofile", "O", function) : NULL;
    Py_XDECREF(threading);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}

int nvtx_profile_begin(const struct profile *profile)
{
    (void)profile;
    static PyMethodDef method = {"_profile_thread", on_thread, METH_VARARGS, NULL};
    PyObject *function = PyCFunction_New(&method, NULL);
    int status = function != NULL ? set_for_threads(function) : -1;
    Py_XDECREF(function);
    if (status == 0)
        PyEval_SetProfile(on_event, NULL);
    return status;
}

int nvtx_profile_end(const struct profile *profile)
{
    (void)profile;
    PyEval_SetProfile(NULL, NULL);
    return set_for_threads(Py_None);
}

#endif
