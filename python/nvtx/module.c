/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"
#include "annotated.h"
#include "arguments.h"
#include "attributes.h"
#include "counter.h"
#include "domain.h"
#include "domain_type.h"
#include "event.h"
#include "forgive.h"
#include "nvtx_python.h"
#include "profile.h"
#include "registered.h"
#include "schema.h"
#include "threads.h"
#include "tool.h"
#include "write_event.h"

/* The extension module rangefinder.nvtx._nvtx: NVTX for Python.
 *
 *     module.c       the functions of the module
 *     tool.c         whether a tool listens
 *     arguments.c    what a call was given, by position and by name
 *     forgive.c      values that cannot be recorded
 *     colors.c       colors as numbers
 *     domain.c       domains, their registered strings and categories; types in domain_type.c
 *     event.c        from Python's values to nvtxEventAttributes_t
 *     extended.c     payloads that are no numbers, with numpy.c, schema.c, semantics.c
 *     counter.c      counters, with samples.c, number.c
 *     attributes.c   EventAttributes
 *     registered.c   RegisteredString
 *     threads.c      threads without the interpreter's lock
 *     annotate.c     the context manager and decorator
 *     annotated.c    a decorated function
 *     profile.c      a range around every function, with profile_hook.c or profile_monitor.c
 *
 * The interpreter's lock is also what guards the caches. Without it (free-threaded CPython) they
 * are not used, and threads.h has what guards the rest. Nothing here is freed before the process
 * ends that a tool could still refer to. */

/* ---- Tools ---- */

static int attach(void)
{
    nvtxInitialize(NULL);
    if (!nvtx_has_tool())
        return 0;
    nvtx_find_recorder(getenv("NVTX_INJECTION64_PATH"));
    return nvtx_attach_domains(nvtx_attached + 1);
}

/* Whether rangefinder.profile() may record this process later (rangefinder/_standby.py). */
static bool is_standby(void)
{
    const char *pid = getenv("RANGEFINDER_STANDBY");
    return pid != NULL && strtol(pid, NULL, 10) == (long)getpid();
}

/* A recording in this process begins. The recorder is the same each time, and so are its handles:
 * nothing that was made for the one before is made again. */
static PyObject *attach_recorder(PyObject *module, PyObject *entry)
{
    void *address = PyLong_AsVoidPtr(entry);
    NvtxInitializeInjectionNvtxFunc_t initialize;
    (void)module;
    if (address == NULL && PyErr_Occurred())
        return NULL;
    if (nvtx_disabled || nvtx_attached != 0 || address == NULL)
        Py_RETURN_FALSE;
    memcpy(&initialize, &address, sizeof(initialize));
    nvtx_silence();
    if (!initialize(rf_nvtx_v1_export_table) || !nvtx_has_tool()) {
        nvtx_silence();
        Py_RETURN_FALSE;
    }
    Dl_info info;
    const char *path = dladdr(address, &info) != 0 ? info.dli_fname : NULL;
    nvtx_find_recorder(path);
    nvtx_attach_extensions(path);
    return nvtx_attach_domains(1) == 0 ? Py_NewRef(Py_True) : NULL;
}

static PyObject *detach_recorder(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    if (!nvtx_disabled) {
        nvtx_silence();
        nvtx_publish(&nvtx_attached, 0);
    }
    Py_RETURN_NONE;
}

/* ---- The functions ---- */

static const struct signature mark_signature = {
    "mark", {MESSAGE, COLOR, DOMAIN, CATEGORY, PAYLOAD}, 5, 5};
static const struct signature push_signature = {
    "push_range", {MESSAGE, COLOR, DOMAIN, CATEGORY, PAYLOAD}, 5, 5};
static const struct signature pop_signature = {"pop_range", {DOMAIN}, 1, 1};
static const struct signature end_signature = {"end_range", {RANGE_ID}, 1, 1};
static const struct signature domain_signature = {"get_domain", {NAME}, 1, 1};
static const struct signature start_signature = {
    "start_range", {MESSAGE, COLOR, DOMAIN, CATEGORY, PAYLOAD}, 5, 5};

/* Makes the event of a call. Returns 1; 0 if no tool is attached; -1 with an exception. */
static int make_event(const struct signature *signature, PyObject *const *args, Py_ssize_t n_args,
                      PyObject *names, struct event *event)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_parse(signature, args, n_args, names, given) != 0)
        return -1;
    if (!nvtx_is_heard())
        return 0;
    struct domain *domain = nvtx_get_domain(given[DOMAIN]);
    return domain != NULL && nvtx_event_init(event, domain, given, false) == 0 ? 1 : -1;
}

static PyObject *mark(PyObject *module, PyObject *const *args, Py_ssize_t n_args, PyObject *names)
{
    struct event event;
    (void)module;
    if (nvtx_disabled)
        Py_RETURN_NONE;
    if (make_event(&mark_signature, args, n_args, names, &event) <= 0)
        return nvtx_none_or_error();
    nvtxDomainMarkEx(event.domain->handle, &event.attributes);
    nvtx_event_release(&event);
    Py_RETURN_NONE;
}

static PyObject *push_range(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names)
{
    struct event event;
    (void)module;
    if (nvtx_disabled)
        Py_RETURN_NONE;
    if (make_event(&push_signature, args, n_args, names, &event) <= 0)
        return nvtx_none_or_error();
    (void)nvtxDomainRangePushEx(event.domain->handle, &event.attributes);
    nvtx_event_release(&event);
    Py_RETURN_NONE;
}

static PyObject *pop_range(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                           PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    (void)module;
    if (nvtx_disabled)
        Py_RETURN_NONE;
    if (nvtx_parse(&pop_signature, args, n_args, names, given) != 0 || !nvtx_is_heard())
        return nvtx_none_or_error();
    struct domain *domain = nvtx_get_domain(given[DOMAIN]);
    if (domain == NULL)
        return NULL;
    (void)nvtxDomainRangePop(domain->handle);
    Py_RETURN_NONE;
}

static PyObject *start_range(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names)
{
    struct event event;
    nvtxRangeId_t id = 0;
    void *handle = NULL;
    (void)module;
    if (nvtx_disabled)
        Py_RETURN_NONE;
    int status = make_event(&start_signature, args, n_args, names, &event);
    if (status < 0)
        return NULL;
    if (status > 0) {
        handle = event.domain->handle;
        id = nvtxDomainRangeStartEx(handle, &event.attributes);
        nvtx_event_release(&event);
    }
    PyObject *pair[] = {PyLong_FromUnsignedLongLong(id), PyLong_FromVoidPtr(handle)};
    PyObject *tuple = pair[0] != NULL && pair[1] != NULL ? PyTuple_Pack(2, pair[0], pair[1]) : NULL;
    Py_XDECREF(pair[0]);
    Py_XDECREF(pair[1]);
    return tuple;
}

/* Reads what start_range() returned, or the list that JSON makes of it. Returns 1; 0 if it is not a
 * running range; -1 with an exception. */
static int read_range(PyObject *range, uint64_t *id, uint64_t *handle)
{
    PyObject *steady =
        PyTuple_Check(range) || PyList_Check(range) ? nvtx_steady(range) : Py_NewRef(Py_None);
    if (steady == NULL)
        return -1;
    if (steady == Py_None || PySequence_Fast_GET_SIZE(steady) != 2) {
        Py_DECREF(steady);
        return nvtx_warn("range_id must be what start_range() returned, not %.200s: ignored",
                         Py_TYPE(range)->tp_name);
    }
    PyObject *pair[] = {Py_NewRef(PySequence_Fast_GET_ITEM(steady, 0)),
                        Py_NewRef(PySequence_Fast_GET_ITEM(steady, 1))};
    Py_DECREF(steady);
    *handle = 0;
    int status = nvtx_range_id(pair[0], id);
    if (status > 0 && nvtx_range_id(pair[1], handle) < 0)
        status = -1;
    Py_DECREF(pair[0]);
    Py_DECREF(pair[1]);
    return status;
}

static PyObject *end_range(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                           PyObject *names)
{
    uint64_t id, handle;
    (void)module;
    if (nvtx_disabled)
        Py_RETURN_NONE;
    PyObject *range = nvtx_parse_one(&end_signature, args, n_args, names);
    if (range == NULL || range == Py_None || !nvtx_is_heard())
        return nvtx_none_or_error();
    int status = read_range(range, &id, &handle);
    struct domain *domain = status > 0 ? nvtx_domain_of_handle(handle) : NULL;
    if (domain != NULL)
        nvtxDomainRangeEnd(domain->handle, id);
    else if (status > 0) /* the domain of another process: the id is enough */
        nvtxRangeEnd(id);
    return nvtx_none_or_error();
}

static PyObject *get_domain(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    (void)module;
    if (nvtx_parse(&domain_signature, args, n_args, names, given) != 0)
        return NULL;
    return Py_XNewRef((PyObject *)nvtx_get_domain(given[NAME]));
}

static PyObject *enabled(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyBool_FromLong(!nvtx_disabled);
}

/* ---- The module ---- */

#define FAST           (METH_FASTCALL | METH_KEYWORDS)
#define AS_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

static const char mark_doc[] =
    "mark(message=None, color='blue', domain=None, category=None, payload=None)\n--\n\n"
    "Marks a moment on the calling thread.\n"
    "\n"
    "message: str, RegisteredString or None. A str is registered with the tool the first time; up\n"
    "    to 65,536 of a domain are, later ones are sent as text each time. A NUL ends it, and "
    "lone\n"
    "    surrogates become '?'.\n"
    "color: a name of CSS or matplotlib, '#rrggbb', a tuple of three ints (0 to 255) or floats (0 "
    "to\n"
    "    1), an int 0xAARRGGBB, or None: blue.\n"
    "domain: str, Domain or None. None and 'NVTX' are the default domain.\n"
    "category: str, which gets the next free id of the domain, int (0 to 2**32 - 1) or None.\n"
    "payload: int (of 64 bits), float, what stands for one of them (numpy's scalars, Decimal), "
    "list,\n"
    "    tuple, range, bytes, numpy.ndarray or None. Lists may be nested, of numbers, str or "
    "bytes.\n"
    "\n"
    "What cannot be recorded of that is left out, and the rest is recorded; an NvtxWarning says "
    "so\n"
    "once at each place. Raises TypeError for names of arguments that there are not. Does nothing\n"
    "where no tool is attached.\n"
    "\n"
    "    mark(\"epoch\", color=\"green\", payload=3)";
static const char push_doc[] =
    "push_range(message=None, color='blue', domain=None, category=None, payload=None)\n--\n\n"
    "Begins a range on the calling thread. It lies inside those that the thread began before in "
    "the\n"
    "domain, and pop_range() ends it. Arguments and errors are those of mark().\n"
    "\n"
    "    push_range(\"load\", color=\"green\")\n"
    "    try:\n"
    "        ...\n"
    "    finally:\n"
    "        pop_range()";
static const char pop_doc[] = "pop_range(domain=None)\n--\n\n"
                              "Ends the range that the calling thread pushed last in the domain. "
                              "Without one it does nothing.";
static const char start_doc[] =
    "start_range(message=None, color=None, domain=None, category=None, payload=None)\n--\n\n"
    "Begins a range of the process, which may end anywhere: in another function, thread or task, "
    "in\n"
    "any order. Returns a tuple of two ints, (range_id, domain_handle), for end_range(); None "
    "only\n"
    "where NVTX_DISABLE is set. Arguments and errors are those of mark().\n"
    "\n"
    "    request = start_range(\"request\", payload=number)\n"
    "    ...                       # in a callback, on another thread\n"
    "    end_range(request)";
static const char end_doc[] = "end_range(range_id)\n--\n\n"
                              "Ends a range of start_range(), whose result it takes, on any "
                              "thread; a list of the same is taken too.\n"
                              "It may be that of another process of the session: the one that this "
                              "process was forked from,\n"
                              "or one that has sent the two ints, which name the process too; it "
                              "ends the range unless its own\n"
                              "process does. None is ignored; the end of a range that ended "
                              "already, or of none, is counted.";
static const char domain_doc[] =
    "get_domain(name=None)\n--\n\n"
    "The Domain of a name, a str, always the same one; a DummyDomain where no tool is attached.\n"
    "None and 'NVTX' are the default domain. Its methods save looking the name up:\n"
    "\n"
    "    io = get_domain(\"io\")\n"
    "    io.push_range(message=\"read\")\n"
    "    io.pop_range()";
static const char enabled_doc[] = "enabled()\n--\n\n"
                                  "bool: whether NVTX_DISABLE was unset or empty at the start.";

static PyMethodDef functions[] = {{"mark", AS_FUNCTION(mark), FAST, mark_doc},
                                  {"push_range", AS_FUNCTION(push_range), FAST, push_doc},
                                  {"pop_range", AS_FUNCTION(pop_range), FAST, pop_doc},
                                  {"start_range", AS_FUNCTION(start_range), FAST, start_doc},
                                  {"end_range", AS_FUNCTION(end_range), FAST, end_doc},
                                  {"get_domain", AS_FUNCTION(get_domain), FAST, domain_doc},
                                  {"enabled", enabled, METH_NOARGS, enabled_doc},
                                  {"_find_schema", nvtx_find_schema, METH_VARARGS, NULL},
                                  {"_register_schema", nvtx_register_schema, METH_VARARGS, NULL},
                                  {"_counters_of", nvtx_counters_of, METH_O, NULL},
                                  {"_type_of", nvtx_type_of, METH_O, NULL},
                                  {"_new_counter", nvtx_new_counter, METH_VARARGS, NULL},
                                  {"_attach_counter", nvtx_attach_counter, METH_O, NULL},
                                  {"_register_counter", nvtx_register_counter, METH_VARARGS, NULL},
                                  {"_register_scope", nvtx_register_scope, METH_VARARGS, NULL},
                                  {"_write_event", nvtx_write_event, METH_VARARGS, NULL},
                                  {"_attach", attach_recorder, METH_O, NULL},
                                  {"_detach", detach_recorder, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static int add_types(PyObject *module)
{
    static const struct {
        const char *name;
        PyTypeObject *type;
    } types[] = {{"Domain", &nvtx_domain_type},
                 {"DummyDomain", &nvtx_dummy_domain_type},
                 {"EventAttributes", &nvtx_attributes_type},
                 {"RegisteredString", &nvtx_registered_type},
                 {"annotate", &nvtx_annotate_type},
                 {"annotated", &nvtx_annotated_type},
                 {"Counter", &nvtx_counter_type},
                 {"Int64Counter", &nvtx_int64_counter_type},
                 {"Float64Counter", &nvtx_float64_counter_type},
                 {"ExtCounter", &nvtx_ext_counter_type},
                 {"DummyCounter", &nvtx_dummy_counter_type},
                 {"Profile", &nvtx_profile_type}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        Py_INCREF(types[i].type); /* of the module */
        if (PyType_Ready(types[i].type) != 0 ||
            PyModule_AddObject(module, types[i].name, (PyObject *)types[i].type) != 0)
            return -1;
    }
    return 0;
}

/* What exists once per process, however often the module is created. */
static int prepare_process(void)
{
    const char *disable = getenv("NVTX_DISABLE");
    nvtx_disabled = disable != NULL && disable[0] != 0;
    if (nvtx_init_arguments() != 0 || nvtx_init_warning() != 0 ||
        nvtx_init_domains(&nvtx_domain_type, &nvtx_dummy_domain_type) != 0)
        return -1;
    if (nvtx_disabled)
        return 0;
    if (!is_standby())
        return attach();
    nvtx_silence();
    return 0;
}

static int init_module(PyObject *module)
{
    static bool is_prepared;
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(
            PyExc_ImportError,
            "rangefinder.nvtx cannot be used in a sub-interpreter: import it in the main "
            "one, or use processes");
        return -1;
    }
    if (add_types(module) != 0 || (!is_prepared && prepare_process() != 0))
        return -1;
    is_prepared = true;
    Py_INCREF(nvtx_warning); /* of the module */
    return PyModule_AddObject(module, "NvtxWarning", nvtx_warning);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, init_module},
#ifdef Py_mod_gil
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rangefinder.nvtx._nvtx",
                                 .m_doc = "NVTX: see rangefinder.nvtx.", .m_methods = functions,
                                 .m_slots = slots};

PyMODINIT_FUNC PyInit__nvtx(void);

PyMODINIT_FUNC PyInit__nvtx(void)
{
    return PyModuleDef_Init(&definition);
}
