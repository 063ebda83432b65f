/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder._session: the recorder in this process, and the packing of its
 * session directories. rangefinder/_profile.py is its only user. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "log/pack_capture.h"
#include "session/recorder_version.h"
#include "session/session_dir.h"
#include "session/session_summary.h"

/* The recorder's functions: src/record/standby/standby_session.c, src/cuda/cuda_standby.c. It is
 * never unloaded. */
static struct {
    int (*start)(void);
    int (*begin)(const char *directory);
    int (*end)(void);
    int (*cuda)(void);
    int (*cuda_state)(void);
    const void *(*copy)(unsigned index);
    void *attach;
} recorder;

static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        PyErr_Format(PyExc_ImportError, "%s", dlerror());
        return -1;
    }
    memcpy(function, &symbol, sizeof(symbol));
    return 0;
}

/* A recorder of another version does not know our sessions, and we not its. */
static int check_version(const char *path)
{
    char version[32];
    struct rf_err err;
    if (rf_recorder_version(path, version, sizeof(version), &err) != RF_OK) {
        PyErr_Format(PyExc_ImportError, "the recorder cannot be loaded: %s", err.text);
        return -1;
    }
    if (strcmp(version, RF_PRODUCT_VERSION) == 0)
        return 0;
    PyErr_Format(PyExc_ImportError,
                 "'%s' is the recorder of rangefinder%s%s, and this package is rangefinder %s; "
                 "install the package anew",
                 path, version[0] != '\0' ? " " : " of an unknown version", version,
                 RF_PRODUCT_VERSION);
    return -1;
}

static PyObject *load(PyObject *module, PyObject *path)
{
    PyObject *bytes = NULL;
    (void)module;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    if (check_version(PyBytes_AS_STRING(bytes)) != 0) {
        Py_DECREF(bytes);
        return NULL;
    }
    void *library = dlopen(PyBytes_AS_STRING(bytes), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(bytes);
    if (library == NULL) {
        PyErr_Format(PyExc_ImportError, "the recorder cannot be loaded: %s", dlerror());
        return NULL;
    }
    if (find(library, "rangefinder_standby_start", &recorder.start) != 0 ||
        find(library, "rangefinder_standby_begin", &recorder.begin) != 0 ||
        find(library, "rangefinder_standby_end", &recorder.end) != 0 ||
        find(library, "rangefinder_standby_cuda", &recorder.cuda) != 0 ||
        find(library, "rangefinder_standby_cuda_state", &recorder.cuda_state) != 0 ||
        find(library, "rangefinder_standby_copy", &recorder.copy) != 0 ||
        find(library, "InitializeInjectionNvtx2", &recorder.attach) != 0)
        return NULL;
    if (!recorder.start()) {
        PyErr_SetString(PyExc_RuntimeError, "the recorder in this process is in use already, or "
                                            "finds no memory");
        return NULL;
    }
    return PyLong_FromVoidPtr(recorder.attach);
}

static int check_loaded(void)
{
    if (recorder.attach != NULL)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "the recorder is not loaded");
    return -1;
}

static const char *why_not(int status)
{
    switch (status) {
    case -EBUSY:
        return "this process is being recorded already";
    case -EAGAIN:
        return "a thread does not come to the end of an annotation";
    case -EIO:
        return "the recorder cannot make its files";
    default:
        return "the recorder is in no state for it";
    }
}

/* None, or NULL with an exception. */
static PyObject *answer(int status)
{
    if (status == 0)
        Py_RETURN_NONE;
    PyErr_SetString(status == -EIO ? PyExc_OSError : PyExc_RuntimeError, why_not(status));
    return NULL;
}

static PyObject *begin(PyObject *module, PyObject *directory)
{
    PyObject *bytes = NULL;
    int status;
    (void)module;
    if (check_loaded() != 0 || !PyUnicode_FSConverter(directory, &bytes))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    status = recorder.begin(PyBytes_AS_STRING(bytes));
    PyEval_RestoreThread(state);
    Py_DECREF(bytes);
    return answer(status);
}

/* Calls the recorder while other threads run Python. */
static int call(int (*function)(void))
{
    PyThreadState *state = PyEval_SaveThread();
    int status = function();
    PyEval_RestoreThread(state);
    return status;
}

/* A thread that does not end is no failure: what it recorded is there. */
static PyObject *end(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    if (check_loaded() != 0)
        return NULL;
    int status = call(recorder.end);
    return answer(status == -EAGAIN ? 0 : status);
}

static PyObject *record_cuda(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return check_loaded() == 0 ? answer(call(recorder.cuda)) : NULL;
}

static PyObject *cuda_state(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return check_loaded() == 0 ? PyLong_FromLong(call(recorder.cuda_state)) : NULL;
}

/* The files of the attached copies of NVTX. */
static PyObject *copies(PyObject *module, PyObject *ignored)
{
    PyObject *list = PyList_New(0);
    const void *address;
    (void)module;
    (void)ignored;
    for (unsigned i = 0; list != NULL && recorder.copy != NULL && (address = recorder.copy(i));
         i++) {
        Dl_info info;
        if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
            continue;
        PyObject *name = PyUnicode_DecodeFSDefault(info.dli_fname);
        if (name == NULL || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* ---- Session directories ---- */

static PyObject *fail(int status, const struct rf_err *err)
{
    PyErr_SetString(status == RF_ERR_EXISTS      ? PyExc_FileExistsError
                    : status == RF_ERR_NO_MEMORY ? PyExc_MemoryError
                    : status == RF_ERR_IO        ? PyExc_OSError
                                                 : PyExc_RuntimeError,
                    err->text);
    return NULL;
}

/* Adds a value, which it takes over. Returns dict, or NULL with an exception. */
static PyObject *with_item(PyObject *dict, const char *name, PyObject *value)
{
    if (dict != NULL && (value == NULL || PyDict_SetItemString(dict, name, value) != 0))
        Py_CLEAR(dict);
    Py_XDECREF(value);
    return dict;
}

static PyObject *describe(const struct rf_packed *s)
{
    const struct {
        const char *name;
        uint64_t n;
    } numbers[] = {
        {"n_ranges", s->counts.n_ranges},
        {"n_marks", s->counts.n_marks},
        {"size_bytes", s->size_bytes},
        {"n_processes", s->n_processes},
        {"n_lost", s->n_lost_records},
        {"lost_bytes", s->lost_bytes},
        {"n_lost_names", s->n_lost_defs},
        {"n_lost_processes", s->n_failed_processes},
        {"n_lost_cuda", s->counts.n_cuda_dropped},
    };
    const struct session_cuda_kind *kind;
    char cuda[512];
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        dict = with_item(dict, numbers[i].name, PyLong_FromUnsignedLongLong(numbers[i].n));
    for (size_t i = 0; dict != NULL && (kind = session_cuda_kind_at(i)) != NULL; i++)
        dict =
            with_item(dict, kind->name, PyLong_FromUnsignedLongLong(s->counts.n_cuda[kind->kind]));
    return with_item(dict, "cuda",
                     PyUnicode_FromString(session_summary_cuda(cuda, sizeof(cuda), &s->counts)));
}

/* The recorder's messages: a list of str. */
static PyObject *messages(PyObject *module, PyObject *directory)
{
    char path[PATH_MAX + 16];
    struct rf_control control;
    PyObject *bytes = NULL, *list = NULL;
    (void)module;
    if (!PyUnicode_FSConverter(directory, &bytes))
        return NULL;
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? pread(fd, &control, sizeof(control), 0) : -1;
    if (fd >= 0)
        (void)close(fd);
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && n == (ssize_t)sizeof(control) && i < RF_MAX_MESSAGES; i++) {
        size_t size = strnlen(control.message[i], RF_MESSAGE_SIZE);
        PyObject *text =
            PyUnicode_DecodeUTF8(control.message[i], (Py_ssize_t)size, "surrogateescape");
        if (text == NULL || (size > 0 && PyList_Append(list, text) != 0))
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* The recorder does not read time zones inside the program's process; this module may. */
static void set_utc_offset(const char *directory)
{
    char path[PATH_MAX + 16];
    time_t now = time(NULL);
    struct tm local;
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, directory);
    int32_t offset_s = localtime_r(&now, &local) != NULL ? (int32_t)local.tm_gmtoff : 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!pwrite(fd, &offset_s, sizeof(offset_s), offsetof(struct rf_control, utc_offset_s));
    (void)close(fd);
}

static PyObject *pack(PyObject *module, PyObject *args)
{
    PyObject *directory = NULL, *output = NULL;
    struct rf_packed packed;
    struct rf_err err;
    int can_overwrite, status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&p:pack", PyUnicode_FSConverter, &directory,
                          PyUnicode_FSConverter, &output, &can_overwrite)) {
        Py_XDECREF(directory);
        return NULL;
    }
    PyThreadState *state = PyEval_SaveThread();
    set_utc_offset(PyBytes_AS_STRING(directory));
    status = rf_pack_capture(NULL, PyBytes_AS_STRING(directory), PyBytes_AS_STRING(output),
                             can_overwrite, 0, &packed, &err);
    PyEval_RestoreThread(state);
    Py_DECREF(directory);
    Py_DECREF(output);
    return status == RF_OK ? describe(&packed) : fail(status, &err);
}

static PyObject *remove_directory(PyObject *module, PyObject *directory)
{
    PyObject *bytes = NULL;
    struct rf_err err;
    (void)module;
    if (!PyUnicode_FSConverter(directory, &bytes))
        return NULL;
    int status = session_dir_remove(PyBytes_AS_STRING(bytes), &err);
    Py_DECREF(bytes);
    if (status != RF_OK)
        return fail(status, &err);
    Py_RETURN_NONE;
}

/* ---- The module ---- */

static PyMethodDef functions[] = {
    {"load", load, METH_O,
     PyDoc_STR("load(path)\n--\n\nLoads the recorder, in standby. Returns the address of NVTX's "
               "entry point.")},
    {"begin", begin, METH_O,
     PyDoc_STR("begin(directory)\n--\n\nBegins a session in an empty directory.")},
    {"end", end, METH_NOARGS, PyDoc_STR("end()\n--\n\nEnds the session.")},
    {"record_cuda", record_cuda, METH_NOARGS,
     PyDoc_STR("record_cuda()\n--\n\nCUDA belongs to the session: from now on, or from when it is "
               "initialised.")},
    {"cuda_state", cuda_state, METH_NOARGS,
     PyDoc_STR("cuda_state()\n--\n\n0: CUDA was not initialised here. Else it is 1: recorded; 2: "
               "not recorded, which a message says; 3: not recorded.")},
    {"messages", messages, METH_O,
     PyDoc_STR("messages(directory)\n--\n\nWhat the recorder had to say in a session.")},
    {"copies", copies, METH_NOARGS,
     PyDoc_STR("copies()\n--\n\nThe files whose copies of NVTX were attached.")},
    {"pack", pack, METH_VARARGS,
     PyDoc_STR("pack(directory, output, can_overwrite)\n--\n\nMakes one file of a session. Returns "
               "what it holds, as a dict.")},
    {"remove", remove_directory, METH_O,
     PyDoc_STR("remove(directory)\n--\n\nRemoves a session directory.")},
    {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rangefinder._session",
                                 .m_doc = "The recorder in this process.", .m_size = -1,
                                 .m_methods = functions};

PyMODINIT_FUNC PyInit__session(void);

PyMODINIT_FUNC PyInit__session(void)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError,
                        "rangefinder.profile() cannot be used in a sub-interpreter");
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
#ifdef Py_GIL_DISABLED
    /* _profile.py has a lock; what is called beside it has no state */
    if (module != NULL && PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED) != 0)
        Py_CLEAR(module);
#endif
    return module;
}
