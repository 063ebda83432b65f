/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtx_module.h"

static PyObject *domains;             /* dict: name to Domain */
static PyObject *handles;             /* dict: handle as int to Domain */
static struct domain *default_domain; /* of None and of "NVTX" */
static struct cached_domain {
    PyObject *name; /* held by the domain */
    struct domain *domain;
} last;

/* ---- Text for a tool ---- */

/* What is no UTF-8 (lone surrogates) is sent as '?'. A new reference to bytes. */
static PyObject *encode(PyObject *text)
{
    return PyUnicode_AsEncodedString(text, "utf-8", "replace");
}

/* ---- Making and finding ---- */

/* Makes the domain known to the tool that listens now. */
static int attach(struct domain *domain)
{
    if (domain->attached == nvtx_attached)
        return 0;
    for (int i = 0; i < N_CACHED; i++) {
        Py_CLEAR(domain->string_cache[i].string);
        Py_CLEAR(domain->category_cache[i].string);
    }
    PyDict_Clear(domain->strings);
    if (domain->name != NULL) {
        PyObject *bytes = encode(domain->name);
        if (bytes == NULL)
            return -1;
        domain->handle = nvtxDomainCreateA(PyBytes_AS_STRING(bytes));
        Py_DECREF(bytes);
    }
    PyObject *handle = PyLong_FromVoidPtr(domain->handle);
    int status = handle != NULL ? PyDict_SetItem(handles, handle, (PyObject *)domain) : -1;
    Py_XDECREF(handle);
    if (status == 0)
        domain->attached = nvtx_attached;
    return status;
}

static int name_category(struct domain *domain, PyObject *name, uint32_t id)
{
    PyObject *bytes = encode(name);
    if (bytes == NULL)
        return -1;
    nvtxDomainNameCategoryA(domain->handle, id, PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    domain->n_named = id;
    return 0;
}

static int name_categories(struct domain *domain)
{
    PyObject *name, *id;
    Py_ssize_t at = 0;
    while (PyDict_Next(domain->categories, &at, &name, &id)) {
        uint32_t number = (uint32_t)PyLong_AsUnsignedLong(id);
        if (number > domain->n_named && name_category(domain, name, number) != 0)
            return -1;
    }
    return 0;
}

static struct domain *new_domain(PyObject *name)
{
    PyTypeObject *type = nvtx_is_heard() ? &nvtx_domain_type : &nvtx_dummy_domain_type;
    struct domain *domain = PyObject_New(struct domain, type);
    if (domain == NULL)
        return NULL;
    memset((char *)domain + sizeof(PyObject), 0, sizeof(*domain) - sizeof(PyObject));
    Py_XINCREF(name);
    domain->name = name;
    domain->strings = PyDict_New();
    domain->categories = PyDict_New();
    if (domain->strings == NULL || domain->categories == NULL ||
        (nvtx_is_heard() && attach(domain) != 0))
        Py_CLEAR(domain);
    return domain;
}

static struct domain *add_domain(PyObject *name)
{
    struct domain *domain = new_domain(name);
    int status = domain != NULL ? PyDict_SetItem(domains, name, (PyObject *)domain) : -1;
    Py_XDECREF(domain); /* domains holds it */
    return status == 0 ? domain : NULL;
}

static struct domain *find_domain(PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(name, "NVTX") == 0)
        return default_domain;
    struct domain *domain = (struct domain *)PyDict_GetItemWithError(domains, name);
    if (domain == NULL && !PyErr_Occurred())
        domain = add_domain(name);
    if (domain != NULL && domain->name == name)
        last = (struct cached_domain){name, domain};
    return domain;
}

/* A name that is no exact str. */
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
    if (name == last.name)
        return last.domain;
    if (Py_TYPE(name) == &nvtx_domain_type || Py_TYPE(name) == &nvtx_dummy_domain_type)
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

static int attach_one(struct domain *domain)
{
    Py_SET_TYPE((PyObject *)domain, &nvtx_domain_type);
    return attach(domain) == 0 ? name_categories(domain) : -1;
}

int nvtx_attach_domains(void)
{
    PyObject *name, *domain;
    Py_ssize_t at = 0;
    if (attach_one(default_domain) != 0)
        return -1;
    while (PyDict_Next(domains, &at, &name, &domain))
        if (attach_one((struct domain *)domain) != 0)
            return -1;
    return 0;
}

/* ---- Registered strings and categories ---- */

static struct cached *cache_place(struct cached *cache, PyObject *string)
{
    return &cache[((uintptr_t)string >> 4) & (N_CACHED - 1)];
}

static int add_string(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered)
{
    PyObject *bytes = encode(message);
    if (bytes == NULL)
        return -1;
    if (PyDict_GET_SIZE(domain->strings) >= MAX_STRINGS &&
        !nvtx_is_trigger(PyBytes_AS_STRING(bytes))) {
        Py_DECREF(bytes);
        return 0;
    }
    *registered = nvtxDomainRegisterStringA(domain->handle, PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    PyObject *handle = PyLong_FromVoidPtr((void *)*registered);
    int status = handle != NULL ? PyDict_SetItem(domain->strings, message, handle) : -1;
    Py_XDECREF(handle);
    return status;
}

int nvtx_register(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered)
{
    struct cached *place = cache_place(domain->string_cache, message);
    if (place->string == message) {
        *registered = place->registered;
        return 0;
    }
    *registered = NULL;
    PyObject *handle = PyDict_GetItemWithError(domain->strings, message);
    if (handle != NULL)
        *registered = PyLong_AsVoidPtr(handle);
    else if (PyErr_Occurred() || add_string(domain, message, registered) != 0)
        return -1;
    if (*registered != NULL) {
        Py_INCREF(message);
        Py_XSETREF(place->string, message);
        place->registered = *registered;
    }
    return 0;
}

/* Ids count from 1 in the order in which names come; 0 is no category. */
static int add_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    *id = (uint32_t)PyDict_GET_SIZE(domain->categories) + 1;
    PyObject *number = PyLong_FromUnsignedLong(*id);
    int status = number != NULL ? PyDict_SetItem(domain->categories, name, number) : -1;
    Py_XDECREF(number);
    return status == 0 && nvtx_is_heard() ? name_category(domain, name, *id) : status;
}

static int look_up_category(struct domain *domain, PyObject *name, uint32_t *id)
{
    PyObject *number = PyDict_GetItemWithError(domain->categories, name);
    if (number != NULL)
        *id = (uint32_t)PyLong_AsUnsignedLong(number);
    else if (PyErr_Occurred() || add_category(domain, name, id) != 0)
        return -1;
    return 0;
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
    struct cached *place = cache_place(domain->category_cache, name);
    Py_XSETREF(place->string, Py_NewRef(name));
    place->category = *id;
    return 0;
}

static int take_category_number(PyObject *category, uint32_t *id)
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
    if (place->string == category) {
        *id = place->category;
        return 0;
    }
    *id = 0;
    return PyUnicode_Check(category) ? find_category(domain, category, id)
                                     : take_category_number(category, id);
}

/* ---- The methods ---- */

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
static int take_odd_attributes(PyObject **given)
{
    PyObject *value = given[ATTRIBUTES];
    if (value == NULL || value == Py_None)
        return 0;
    int is_message = given[MESSAGE] == NULL &&
                     (PyUnicode_Check(value) || Py_TYPE(value) == &nvtx_registered_type);
    if (is_message)
        given[MESSAGE] = value;
    return nvtx_warn_type("attributes", "an EventAttributes", value,
                          is_message ? "taken as the message" : "left out");
}

/* The event that a method was given: prepared, or in single values, for which *made is used and to
 * be released; NULL: none is to be sent, with an exception or because nobody listens. */
static const struct event *take_event(struct domain *domain, const struct signature *signature,
                                      PyObject *const *args, Py_ssize_t n_args, PyObject *names,
                                      struct event *made)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    made->text = NULL;
    if (nvtx_parse(signature, args, n_args, names, given) != 0)
        return NULL;
    struct prepared *prepared = as_attributes(given[ATTRIBUTES]);
    if (prepared != NULL && names != NULL && nvtx_prepared_set(prepared, given) != 0)
        return NULL;
    if (!nvtx_is_heard())
        return NULL;
    if (prepared != NULL)
        return nvtx_prepared_event(prepared);
    if (take_odd_attributes(given) != 0)
        return NULL;
    return nvtx_event_init(made, domain, given) == 0 ? made : NULL;
}

/* A call with nothing but an EventAttributes, while nobody listens. */
static inline int is_idle(PyObject *const *args, Py_ssize_t n_args, PyObject *names)
{
    return !nvtx_is_heard() && n_args == 1 && names == NULL && as_attributes(args[0]) != NULL;
}

static PyObject *domain_mark(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names)
{
    struct domain *domain = (struct domain *)self;
    struct event made;
    if (is_idle(args, n_args, names))
        Py_RETURN_NONE;
    const struct event *event = take_event(domain, &mark_signature, args, n_args, names, &made);
    if (event == NULL)
        return nvtx_none_or_error();
    nvtxDomainMarkEx(domain->handle, &event->attributes);
    nvtx_event_release(&made);
    Py_RETURN_NONE;
}

static PyObject *domain_push(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names)
{
    struct domain *domain = (struct domain *)self;
    struct event made;
    if (is_idle(args, n_args, names))
        Py_RETURN_NONE;
    const struct event *event = take_event(domain, &push_signature, args, n_args, names, &made);
    if (event == NULL)
        return nvtx_none_or_error();
    (void)nvtxDomainRangePushEx(domain->handle, &event->attributes);
    nvtx_event_release(&made);
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
    struct event made;
    nvtxRangeId_t id = 0;
    const struct event *event = take_event(domain, &start_signature, args, n_args, names, &made);
    if (event == NULL && PyErr_Occurred())
        return NULL;
    if (event != NULL) {
        id = nvtxDomainRangeStartEx(domain->handle, &event->attributes);
        nvtx_event_release(&made);
    }
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *domain_end(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names)
{
    uint64_t value;
    PyObject *id = nvtx_parse_one(&end_signature, args, n_args, names);
    int status = id != NULL ? nvtx_take_id(id, &value) : -1;
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
    struct prepared *made = PyObject_New(struct prepared, &nvtx_attributes_type);
    if (made != NULL && nvtx_prepared_init(made, (struct domain *)self, given) != 0)
        Py_CLEAR(made);
    return (PyObject *)made;
}

static PyObject *domain_set_attributes(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                       PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    (void)self;
    if (nvtx_parse(&set_signature, args, n_args, names, given) != 0)
        return NULL;
    struct prepared *prepared = as_attributes(given[ATTRIBUTES]);
    if (prepared != NULL ? nvtx_prepared_set(prepared, given) : take_odd_attributes(given))
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
    (void)self;
    (void)ignored;
    return PyBool_FromLong(nvtx_is_heard());
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
    {"is_enabled", domain_is_enabled, METH_NOARGS,
     PyDoc_STR("is_enabled($self)\n--\n\n"
               "bool: whether a tool is attached.")},
    {"__reduce__", domain_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef domain_values[] = {
    {"name", domain_name, NULL, PyDoc_STR("The name, a str."), NULL},
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
    .tp_doc =
        PyDoc_STR("A Domain that nobody listens to: no tool is attached. All its methods are\n"
                  "there and record nothing; it becomes a Domain when a tool is attached."),
    .tp_basicsize = sizeof(struct domain),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &nvtx_domain_type,
    .tp_repr = domain_repr,
    .tp_methods = domain_methods}; /* its own: CPython calls inherited ones the slow way */

int nvtx_init_domains(void)
{
    domains = PyDict_New();
    handles = PyDict_New();
    if (domains == NULL || handles == NULL)
        return -1;
    default_domain = new_domain(NULL);
    return default_domain != NULL ? 0 : -1;
}
