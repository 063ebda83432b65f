/* SPDX-License-Identifier: Apache-2.0 */
#include "payload_objects.h"

#include <stdbool.h>

#define MAX_OPEN 64 /* more than rf_visit_payloads() nests */
#define FAILED   1  /* an exception is set */

struct builder {
    PyObject
        *open[MAX_OPEN]; /* dicts and lists, the outermost one first; each owned by its outer */
    unsigned depth;
    PyObject *result;
};

static PyObject *scalar(const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_UNSIGNED:
    case RF_VALUE_ADDRESS:
        return PyLong_FromUnsignedLongLong(value->number);
    case RF_VALUE_SIGNED:
        return PyLong_FromLongLong(value->integer);
    case RF_VALUE_REAL:
        return PyFloat_FromDouble(value->real);
    case RF_VALUE_TEXT:
        return PyUnicode_DecodeUTF8(value->text, (Py_ssize_t)value->count, "replace");
    case RF_VALUE_BYTES:
        return PyBytes_FromStringAndSize((const char *)value->bytes, (Py_ssize_t)value->count);
    default:
        Py_RETURN_NONE;
    }
}

/* An integer of more than 64 bits. */
static PyObject *long_integer(const struct rf_value *value)
{
    char digits[64];
    if (value->count >= sizeof(digits))
        Py_RETURN_NONE;
    memcpy(digits, value->text, value->count);
    digits[value->count] = '\0';
    return PyLong_FromString(digits, NULL, 10);
}

static PyObject *object_of(const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_OBJECT:
        return PyDict_New();
    case RF_VALUE_ARRAY:
        return PyList_New(0);
    case RF_VALUE_DIGITS:
        return long_integer(value);
    default:
        return scalar(value);
    }
}

/* Puts an object where the values before it stand. */
static int put(struct builder *b, const char *name, PyObject *object)
{
    PyObject *outer = b->depth > 0 ? b->open[b->depth - 1] : NULL;
    if (outer == NULL) {
        Py_XDECREF(b->result);
        Py_INCREF(object);
        b->result = object;
        return 0;
    }
    if (PyList_Check(outer))
        return PyList_Append(outer, object);
    PyObject *key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
    int status = key != NULL ? PyDict_SetItem(outer, key, object) : -1;
    Py_XDECREF(key);
    return status;
}

static int add_value(void *context, const struct rf_value *value)
{
    struct builder *b = context;
    if (value->kind == RF_VALUE_END) {
        b->depth--;
        return 0;
    }
    PyObject *object = object_of(value);
    int status = object != NULL ? put(b, value->name, object) : -1;
    bool is_open = value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY;
    if (status == 0 && is_open && b->depth < MAX_OPEN)
        b->open[b->depth++] = object;
    Py_XDECREF(object);
    return status == 0 ? 0 : FAILED;
}

PyObject *payload_object_of(const rf_recording *rec, const struct rf_event *event)
{
    struct builder b = {.result = NULL};
    int status = rf_visit_payloads(rec, event, 0, add_value, &b);
    if (status == 0 && b.result == NULL)
        Py_RETURN_NONE;
    if (status == 0)
        return b.result;
    Py_XDECREF(b.result);
    return status == FAILED ? NULL : PyErr_NoMemory();
}
