/* SPDX-License-Identifier: Apache-2.0 */
#include "domain.h"

#include "forgive.h"
#include "nvtx_python.h"
#include "text.h"
#include "tool.h"

static PyTypeObject *domain_type, *dummy_type;
static PyObject *domains;             /* dict: name to Domain */
static PyObject *handles;             /* dict: handle as int to Domain */
static struct domain *default_domain; /* the domain None, which is also "NVTX" */
static struct cached_domain {
    PyObject *name; /* the domain has a reference */
    struct domain *domain;
} last;

/* ---- Making and finding ---- */

/* Forgets what the tool before was told. */
static void forget(struct domain *domain)
{
    for (int i = 0; i < N_CACHED; i++) {
        Py_CLEAR(domain->string_cache[i].string);
        Py_CLEAR(domain->category_cache[i].string);
    }
    for (int i = 0; i < N_DTYPES; i++) {
        Py_CLEAR(domain->dtypes[i].dtype);
        Py_CLEAR(domain->dtypes[i].native);
    }
    memset(domain->number_arrays, 0, sizeof(domain->number_arrays));
    PyDict_Clear(domain->strings);
    PyDict_Clear(domain->schemas);
}

/* Creates the domain in the tool that is attached now. */
static int attach(struct domain *domain)
{
    if (domain->attached == nvtx_attached)
        return 0;
    forget(domain);
    if (domain->name != NULL) {
        PyObject *bytes = nvtx_encode(domain->name);
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
    PyObject *bytes = nvtx_encode(name);
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
    PyTypeObject *type = nvtx_is_heard() ? domain_type : dummy_type;
    struct domain *domain = PyObject_New(struct domain, type);
    if (domain == NULL)
        return NULL;
    memset((char *)domain + sizeof(PyObject), 0, sizeof(*domain) - sizeof(PyObject));
    Py_XINCREF(name);
    domain->name = name;
    domain->strings = PyDict_New();
    domain->categories = PyDict_New();
    domain->schemas = PyDict_New();
    domain->counters = PyDict_New();
    if (domain->strings == NULL || domain->categories == NULL || domain->schemas == NULL ||
        domain->counters == NULL || (nvtx_is_heard() && attach(domain) != 0))
        Py_CLEAR(domain);
    return domain;
}

static struct domain *add_domain(PyObject *name)
{
    struct domain *domain = new_domain(name);
    int status = domain != NULL ? PyDict_SetItem(domains, name, (PyObject *)domain) : -1;
    Py_XDECREF(domain); /* domains has a reference */
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

/* A name that is not an exact str. */
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
    if (Py_TYPE(name) == domain_type || Py_TYPE(name) == dummy_type)
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
    Py_SET_TYPE((PyObject *)domain, domain_type);
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
    PyObject *bytes = nvtx_encode(message);
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

/* Ids count from 1 in the order of first use; 0 means no category. */
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

static int read_category_number(PyObject *category, uint32_t *id)
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
                                     : read_category_number(category, id);
}

int nvtx_init_domains(PyTypeObject *type, PyTypeObject *type_of_dummy)
{
    domain_type = type;
    dummy_type = type_of_dummy;
    domains = PyDict_New();
    handles = PyDict_New();
    if (domains == NULL || handles == NULL)
        return -1;
    default_domain = new_domain(NULL);
    return default_domain != NULL ? 0 : -1;
}
