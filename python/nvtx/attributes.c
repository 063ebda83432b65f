/* SPDX-License-Identifier: Apache-2.0 */
#include "attributes.h"

#include <structmember.h>

#include "event.h"
#include "nvtx_python.h"
#include "tool.h"

/* ---- Prepared events ---- */

/* Makes an event for the tool that is attached, as the *attached-th; 0: an empty one, for none.
 * Sets *attached to 0 if another thread has detached the tool meanwhile, so that the event is made
 * anew for the next. Returns 0, or -1 with an exception; nothing is to be released then. */
static int make_event(struct event *event, unsigned *attached, struct domain *domain,
                      PyObject *const *given, bool defers)
{
    *attached = nvtx_read(&nvtx_attached);
    if (*attached == 0)
        *event = (struct event){.domain = domain};
    else if (nvtx_event_init(event, domain, given, defers) != 0)
        return -1;
    if (nvtx_read(&nvtx_attached) != *attached)
        *attached = 0;
    return 0;
}

int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given,
                       bool defers)
{
    prepared->mutex = (struct guard){0};
    prepared->defers = defers;
    memset(prepared->given, 0, sizeof(prepared->given));
    if (make_event(&prepared->event, &prepared->attached, domain, given, defers) != 0)
        return -1;
    for (int i = 0; i < N_KEPT; i++) {
        Py_XINCREF(given[i]);
        prepared->given[i] = given[i];
    }
    return 0;
}

/* Makes the event of the arguments in given[] and of those that are kept; domain NULL: in that
 * which is kept. Returns 0, or -1 with an exception; what is in *made is to be released. */
static int make(struct prepared *prepared, struct domain *domain, PyObject *const *given,
                struct replaced *made, unsigned *attached)
{
    struct domain *kept = nvtx_prepared_given(prepared, made->given);
    for (int i = 0; given != NULL && i < N_KEPT; i++)
        if (given[i] != NULL)
            Py_XSETREF(made->given[i], Py_NewRef(given[i]));
    return make_event(&made->event, attached, domain != NULL ? domain : kept, made->given,
                      prepared->defers);
}

/* Puts *made in its place, and what was there in *made. */
static void exchange(struct prepared *prepared, unsigned attached, struct replaced *made)
{
    struct replaced before = {.event = prepared->event};
    memcpy(before.given, prepared->given, sizeof(before.given));
    memcpy(prepared->given, made->given, sizeof(made->given));
    prepared->event = made->event;
    nvtx_publish(&prepared->attached, attached);
    *made = before;
}

static void release(struct replaced *replaced)
{
    nvtx_event_release(&replaced->event);
    nvtx_release_given(replaced->given);
}

int nvtx_prepared_set(struct prepared *prepared, struct domain *domain, PyObject *const *given)
{
    struct replaced made;
    unsigned attached;
    int status = make(prepared, domain, given, &made, &attached);
    if (status == 0) {
        guard_lock(&prepared->mutex);
        exchange(prepared, attached, &made);
        guard_unlock(&prepared->mutex);
    }
    release(&made);
    return status;
}

const struct event *nvtx_prepared_hold(struct prepared *prepared, PyObject *const *given,
                                       struct replaced *replaced)
{
    unsigned attached = nvtx_read(&nvtx_attached);
    replaced->is_used = given != NULL || nvtx_read(&prepared->attached) != attached;
    if (replaced->is_used && make(prepared, NULL, given, replaced, &attached) != 0) {
        release(replaced);
        return NULL;
    }
    guard_lock(&prepared->mutex);
    if (replaced->is_used)
        exchange(prepared, attached, replaced);
    return &prepared->event;
}

void nvtx_prepared_let_go(struct prepared *prepared, struct replaced *replaced)
{
    guard_unlock(&prepared->mutex);
    if (replaced->is_used)
        release(replaced);
}

struct domain *nvtx_prepared_given(struct prepared *prepared, PyObject **given)
{
    guard_lock(&prepared->mutex);
    struct domain *domain = prepared->event.domain;
    for (int i = 0; i < N_KEPT; i++)
        given[i] = Py_XNewRef(prepared->given[i]);
    guard_unlock(&prepared->mutex);
    return domain;
}

void nvtx_release_given(PyObject **given)
{
    for (int i = 0; i < N_KEPT; i++)
        Py_XDECREF(given[i]);
}

void nvtx_prepared_release(struct prepared *prepared)
{
    nvtx_event_release(&prepared->event);
    nvtx_release_given(prepared->given);
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
    PyObject *given[N_KEPT];
    (void)nvtx_prepared_given((struct prepared *)self, given);
    PyObject *value = given[(uintptr_t)argument];
    Py_XINCREF(value);
    nvtx_release_given(given);
    return value != NULL ? value : Py_NewRef(Py_None);
}

static int set_value(PyObject *self, PyObject *value, void *argument)
{
    PyObject *given[N_ARGUMENTS] = {NULL};
    given[(uintptr_t)argument] = value != NULL ? value : Py_None;
    return nvtx_prepared_set((struct prepared *)self, NULL, given);
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
    PyObject *given[N_KEPT];
    (void)nvtx_prepared_given((struct prepared *)self, given);
#define OR_NONE(i) (given[i] != NULL ? given[i] : Py_None)
    PyObject *text =
        PyUnicode_FromFormat("EventAttributes(message=%R, color=%R, category=%R, payload=%R)",
                             OR_NONE(MESSAGE), OR_NONE(COLOR), OR_NONE(CATEGORY), OR_NONE(PAYLOAD));
#undef OR_NONE
    nvtx_release_given(given);
    return text;
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
