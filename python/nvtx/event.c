/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "arguments.h"
#include "colors.h"
#include "domain.h"
#include "forgive.h"
#include "registered.h"
#include "text.h"

#define BLUE 0x0000ffU /* the color without one, as in the package nvtx */

/* ---- Payloads ---- */

static void set_float(nvtxEventAttributes_t *attributes, PyObject *payload)
{
    attributes->payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    attributes->payload.dValue = PyFloat_AS_DOUBLE(payload);
}

static int set_int(nvtxEventAttributes_t *attributes, PyObject *payload)
{
    int overflow;
    int64_t value = PyLong_AsLongLongAndOverflow(payload, &overflow);
    uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(payload) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        return nvtx_warn("payload as an int must be of 64 bits: left out");
    }
    attributes->payloadType = NVTX_PAYLOAD_TYPE_INT64;
    attributes->payload.llValue = value;
    if (overflow > 0) {
        attributes->payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        attributes->payload.ullValue = large;
    }
    return 0;
}

/* The int or float that an object of another type stands for, as numpy's scalars do: a new
 * reference. NULL: none; with an exception that is no Exception. */
static PyObject *number_of(PyObject *value)
{
    const PyNumberMethods *methods = Py_TYPE(value)->tp_as_number;
    PyObject *number = NULL;
    if (PyIndex_Check(value) && (number = PyNumber_Index(value)) == NULL && nvtx_forgive() != 0)
        return NULL;
    if (number == NULL && methods != NULL && methods->nb_float != NULL &&
        (number = PyNumber_Float(value)) == NULL)
        (void)nvtx_forgive();
    return number;
}

static int set_number(nvtxEventAttributes_t *attributes, PyObject *payload)
{
    if (PyLong_Check(payload))
        return set_int(attributes, payload);
    if (PyFloat_Check(payload)) {
        set_float(attributes, payload);
        return 0;
    }
    PyObject *number = number_of(payload);
    if (number == NULL)
        return PyErr_Occurred() ? -1
                                : nvtx_warn_type("payload", "a number, list, bytes or array",
                                                 payload, "left out");
    int status = set_number(attributes, number);
    Py_DECREF(number);
    return status;
}

int nvtx_event_read_payload(struct event *event, PyObject *payload)
{
    nvtxEventAttributes_t *attributes = &event->attributes;
    if (PyLong_CheckExact(payload) || !nvtx_is_extended(payload))
        return set_number(attributes, payload);
    if (nvtx_payload_make(event->domain, payload, &event->payload) != 0)
        return -1;
    if (event->payload == NULL)
        return 0;
    attributes->payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes->reserved0 = 1; /* payload */
    attributes->payload.ullValue = (uint64_t)(uintptr_t)&event->payload->data;
    return 0;
}

static int set_payload(struct event *event, PyObject *payload, bool defers)
{
    event->is_deferred = defers && !PyLong_CheckExact(payload) && nvtx_is_mutable(payload);
    return event->is_deferred ? 0 : nvtx_event_read_payload(event, payload);
}

/* ---- Messages ---- */

/* Beyond the limit of registered strings the text itself is sent. */
static int set_text(struct event *event, PyObject *message)
{
    event->text = PyUnicode_AsEncodedString(message, "utf-8", "replace");
    if (event->text == NULL)
        return -1;
    event->attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event->attributes.message.ascii = PyBytes_AS_STRING(event->text);
    return 0;
}

static int set_string(struct event *event, PyObject *message)
{
    nvtxStringHandle_t registered;
    if (nvtx_register(event->domain, message, &registered) != 0)
        return -1;
    if (registered == NULL)
        return set_text(event, message);
    event->attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event->attributes.message.registered = registered;
    return 0;
}

static int set_message(struct event *event, PyObject *message)
{
    PyObject *text;
    if (Py_TYPE(message) == &nvtx_registered_type)
        message = nvtx_registered_string(message);
    if (PyUnicode_CheckExact(message))
        return set_string(event, message);
    if (nvtx_text("message", message, &text) != 0)
        return -1;
    int status = text != NULL ? set_string(event, text) : 0;
    Py_XDECREF(text);
    return status;
}

/* ---- Events ---- */

static inline bool is_given(PyObject *value)
{
    return value != NULL && value != Py_None;
}

static int set_color(nvtxEventAttributes_t *attributes, PyObject *color)
{
    int status = 1;
    attributes->color = BLUE;
    if (is_given(color))
        status = nvtx_color(color, &attributes->color);
    if (status > 0)
        attributes->colorType = NVTX_COLOR_ARGB;
    return status < 0 ? -1 : 0;
}

int nvtx_event_init(struct event *event, struct domain *domain, PyObject *const *given, bool defers)
{
    nvtxEventAttributes_t *attributes = &event->attributes;
    memset(attributes, 0, sizeof(*attributes));
    event->domain = domain;
    event->is_deferred = false;
    nvtx_event_clear(event);
    attributes->version = NVTX_VERSION;
    attributes->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (set_color(attributes, given[COLOR]) != 0)
        return -1;
    if (is_given(given[CATEGORY]) &&
        nvtx_category(domain, given[CATEGORY], &attributes->category) != 0)
        return -1;
    if (is_given(given[MESSAGE]) && set_message(event, given[MESSAGE]) != 0)
        return -1;
    if (!is_given(given[PAYLOAD]) || set_payload(event, given[PAYLOAD], defers) == 0)
        return 0;
    nvtx_event_release(event);
    nvtx_event_clear(event);
    return -1;
}
