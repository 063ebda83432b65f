/* SPDX-License-Identifier: Apache-2.0 */
#include "attributes.h"

#include <structmember.h>

#include "event.h"
#include "nvtx_python.h"
#include "tool.h"

/* ---- Prepared events ---- */

int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given,
                       bool defers)
{
    prepared->attached = nvtx_attached;
    prepared->defers = defers;
    prepared->event.domain = domain;
    nvtx_event_clear(&prepared->event);
    memset(prepared->given, 0, sizeof(prepared->given));
    if (nvtx_is_heard() && nvtx_event_init(&prepared->event, domain, given, defers) != 0)
        return -1;
    for (int i = 0; i < N_KEPT; i++) {
        Py_XINCREF(given[i]);
        prepared->given[i] = given[i];
    }
    return 0;
}

int nvtx_prepared_set(struct prepared *prepared, PyObject *const *given)
{
    PyObject *all[N_KEPT];
    struct event event = {.domain = prepared->event.domain};
    unsigned attached = nvtx_attached;
    for (int i = 0; i < N_KEPT;
         i++) /* a reference is held: methods of a value may run, and other threads */
        all[i] = Py_XNewRef(given[i] != NULL ? given[i] : prepared->given[i]);
    int status = attached != 0 ? nvtx_event_init(&event, event.domain, all, prepared->defers) : 0;
    if (status == 0) {
        nvtx_event_release(&prepared->event);
        prepared->event = event;
        prepared->attached = attached;
    }
    for (int i = 0; i < N_KEPT; i++) {
        PyObject *old = all[i];
        if (status == 0) {
            old = prepared->given[i];
            prepared->given[i] = all[i];
        }
        Py_XDECREF(old);
    }
    return status;
}

const struct event *nvtx_prepared_event(struct prepared *prepared)
{
    PyObject *const nothing[N_ARGUMENTS] = {NULL};
    if (prepared->attached != nvtx_attached && nvtx_prepared_set(prepared, nothing) != 0)
        return NULL;
    return &prepared->event;
}

void nvtx_prepared_release(struct prepared *prepared)
{
    nvtx_event_release(&prepared->event);
    for (int i = 0; i < N_KEPT; i++)
        Py_XDECREF(prepared->given[i]);
}

/* ---- EventAttributes ---- */

PyObject *nvtx_attributes_new(struct domain *domain, PyObject *const *given)
{
    struct prepared *made = PyObject_New(struct prepared, &nvtx_attributes_type);
    if (made != NULL && nvtx_prepared_init(made, domain, given, false) != 0)
        Py_CLEAR(made);
    return (PyObject *)made;
}

static void attributes_free(PyObject *self)
{
    nvtx_prepared_release((struct prepared *)self);
    PyObject_Free(self);
}

static PyObject *get_value(PyObject *self, void *argument)
{
    PyObject *value = ((struct prepared *)self)->given[(uintptr_t)argument];
    return Py_NewRef(value != NULL ? value : Py_None);
}

static int set_value(PyObject *self, PyObject *value, void *argument)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    given[(uintptr_t)argument] = value != NULL ? value : Py_None;
    return nvtx_prepared_set((struct prepared *)self, given);
}

#define VALUE(name, argument, doc)                                                                 \
    {                                                                                              \
        name, get_value, set_value, PyDoc_STR(doc), (void *)(uintptr_t)(argument)                  \
    }

static PyGetSetDef attributes_values[] = {
    VALUE("message", MESSAGE, "str, RegisteredString or None"),
    VALUE("color", COLOR, "see rangefinder.nvtx.mark(); None: the tool's default"),
    VALUE("category", CATEGORY, "str, int or None"),
    VALUE("payload", PAYLOAD, "see rangefinder.nvtx.mark()"),
    {NULL, NULL, NULL, NULL, NULL}};

static PyObject *attributes_repr(PyObject *self)
{
    PyObject *const *given = ((struct prepared *)self)->given;
#define OR_NONE(i) (given[i] != NULL ? given[i] : Py_None)
    return PyUnicode_FromFormat("EventAttributes(message=%R, color=%R, category=%R, payload=%R)",
                                OR_NONE(MESSAGE), OR_NONE(COLOR), OR_NONE(CATEGORY),
                                OR_NONE(PAYLOAD));
#undef OR_NONE
}

PyTypeObject nvtx_attributes_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.EventAttributes",
    .tp_doc = PyDoc_STR("What an event says, checked and converted once. Made by\n"
                        "Domain.get_event_attributes(), for the methods of that Domain."),
    .tp_basicsize = sizeof(struct prepared),
    .tp_dealloc = attributes_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = attributes_repr,
    .tp_getset = attributes_values};
