/* SPDX-License-Identifier: Apache-2.0 */
/* RegisteredString. */
#include "registered.h"

#include <structmember.h>

#include "domain.h"
#include "nvtx_python.h"
#include "text.h"
#include "tool.h"

struct registered {
    PyObject_HEAD struct domain *domain;
    PyObject *string;
};

PyObject *nvtx_registered_new(struct domain *domain, PyObject *message)
{
    nvtxStringHandle_t handle;
    PyObject *text;
    if (nvtx_text("string", message, &text) != 0)
        return NULL;
    if (text == NULL)
        text = PyUnicode_FromString("");
    struct registered *registered = NULL;
    if (text != NULL && (!nvtx_is_heard() || nvtx_register(domain, text, &handle) == 0))
        registered = PyObject_New(struct registered, &nvtx_registered_type);
    if (registered != NULL) {
        registered->domain = domain;
        registered->string = Py_NewRef(text);
    }
    Py_XDECREF(text);
    return (PyObject *)registered;
}

PyObject *nvtx_registered_string(PyObject *self)
{
    return ((struct registered *)self)->string;
}

static void registered_free(PyObject *self)
{
    Py_DECREF(((struct registered *)self)->string);
    PyObject_Free(self);
}

static PyObject *registered_repr(PyObject *self)
{
    return PyUnicode_FromFormat("RegisteredString(%R)", nvtx_registered_string(self));
}

static PyMemberDef registered_values[] = {
    {"string", T_OBJECT_EX, offsetof(struct registered, string), READONLY, PyDoc_STR("the str")},
    {"domain", T_OBJECT_EX, offsetof(struct registered, domain), READONLY,
     PyDoc_STR("the Domain that it is registered in")},
    {NULL, 0, 0, 0, NULL}};

PyTypeObject nvtx_registered_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.RegisteredString",
    .tp_doc = PyDoc_STR("A message that is registered in a Domain; made by\n"
                        "Domain.get_registered_string()."),
    .tp_basicsize = sizeof(struct registered),
    .tp_dealloc = registered_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = registered_repr,
    .tp_members = registered_values};
