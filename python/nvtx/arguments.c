/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "forgive.h"
#include "nvtx_python.h"

static const char *const argument_name[N_ARGUMENTS] = {
    "message",  "color",  "domain", "category", "payload", "attributes", "name",
    "range_id", "string", "value",  "reason",   "values",  "timestamps"};
static PyObject *interned[N_ARGUMENTS];

int nvtx_init_arguments(void)
{
    for (int i = 0; i < N_ARGUMENTS; i++) {
        interned[i] = PyUnicode_InternFromString(argument_name[i]);
        if (interned[i] == NULL)
            return -1;
    }
    return 0;
}

/* The position of a name in the signature; n where the name is unknown. */
static int find_name(const struct signature *signature, PyObject *name)
{
    int i = 0;
    while (i < signature->n && interned[signature->argument[i]] != name)
        i++;
    if (i < signature->n)
        return i;
    for (i = 0; i < signature->n; i++) /* names that were made at run time are not interned */
        if (PyUnicode_Compare(interned[signature->argument[i]], name) == 0)
            break;
    return i;
}

static int set_named(const struct signature *signature, PyObject *name, PyObject *value,
                     Py_ssize_t n_given, PyObject **given)
{
    int i = find_name(signature, name);
    if (i == signature->n)
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                     signature->function, name);
    else if (i < n_given)
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                     signature->function, name);
    else
        given[signature->argument[i]] = value;
    return PyErr_Occurred() != NULL ? -1 : 0;
}

int nvtx_parse(const struct signature *signature, PyObject *const *args, Py_ssize_t n_args,
               PyObject *names, PyObject **given)
{
    if (n_args > signature->n_positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                     signature->function, signature->n_positional, n_args);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n_args; i++)
        given[signature->argument[i]] = args[i];
    Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < n_names; i++)
        if (set_named(signature, PyTuple_GET_ITEM(names, i), args[n_args + i], n_args, given) != 0)
            return -1;
    return 0;
}

PyObject *nvtx_parse_one(const struct signature *signature, PyObject *const *args,
                         Py_ssize_t n_args, PyObject *names)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    if (nvtx_parse(signature, args, n_args, names, given) != 0)
        return NULL;
    if (given[signature->argument[0]] == NULL)
        PyErr_Format(PyExc_TypeError, "%s() missing its argument '%s'", signature->function,
                     argument_name[signature->argument[0]]);
    return given[signature->argument[0]];
}

PyObject *nvtx_none_or_error(void)
{
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

int nvtx_range_id(PyObject *id, uint64_t *value)
{
    if (id == Py_None)
        return 0;
    PyObject *number = PyNumber_Index(id);
    if (number == NULL)
        return nvtx_forgive() == 0
                   ? nvtx_warn_type("range_id", "what start_range() returned", id, "ignored")
                   : -1;
    *value = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (!PyErr_Occurred())
        return *value != 0;
    PyErr_Clear();
    return 0;
}
