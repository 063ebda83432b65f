/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtx_module.h"

static int set_payload(nvtxEventAttributes_t *attributes, PyObject *payload)
{
    if (PyFloat_Check(payload)) {
        attributes->payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
        attributes->payload.dValue = PyFloat_AS_DOUBLE(payload);
        return 0;
    }
    if (!PyLong_Check(payload))
        return nvtx_wrong_type("payload", "an int, a float or None", payload);
    int overflow;
    attributes->payloadType = NVTX_PAYLOAD_TYPE_INT64;
    attributes->payload.llValue = PyLong_AsLongLongAndOverflow(payload, &overflow);
    if (overflow > 0) {
        attributes->payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        attributes->payload.ullValue = PyLong_AsUnsignedLongLong(payload);
    }
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "payload as an int must be of 64 bits");
        return -1;
    }
    return 0;
}

/* Past the bound of registered strings the text itself is sent. */
static int set_text(struct event *event, PyObject *message)
{
    event->text = PyUnicode_AsEncodedString(message, "utf-8", "replace");
    if (event->text == NULL)
        return -1;
    event->attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event->attributes.message.ascii = PyBytes_AS_STRING(event->text);
    return 0;
}

static int set_message(struct event *event, PyObject *message)
{
    nvtxStringHandle_t registered;
    if (Py_TYPE(message) == &nvtx_registered_type)
        message = nvtx_registered_string(message);
    if (!PyUnicode_Check(message))
        return nvtx_wrong_type("message", "a str or None", message);
    if (!nvtx_is_heard())
        return 0;
    if (nvtx_register(event->domain, message, &registered) != 0)
        return -1;
    if (registered == NULL)
        return set_text(event, message);
    event->attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event->attributes.message.registered = registered;
    return 0;
}

int nvtx_event_init(struct event *event, struct domain *domain, PyObject *const *given)
{
    nvtxEventAttributes_t *attributes = &event->attributes;
    memset(attributes, 0, sizeof(*attributes));
    event->domain = domain;
    event->text = NULL;
    attributes->version = NVTX_VERSION;
    attributes->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (given[COLOR] != NULL && given[COLOR] != Py_None) {
        if (nvtx_color(given[COLOR], &attributes->color) != 0)
            return -1;
        attributes->colorType = NVTX_COLOR_ARGB;
    }
    if (given[CATEGORY] != NULL && given[CATEGORY] != Py_None &&
        nvtx_category(domain, given[CATEGORY], &attributes->category) != 0)
        return -1;
    if (given[PAYLOAD] != NULL && given[PAYLOAD] != Py_None &&
        set_payload(attributes, given[PAYLOAD]) != 0)
        return -1;
    return given[MESSAGE] != NULL && given[MESSAGE] != Py_None ? set_message(event, given[MESSAGE])
                                                               : 0;
}
