/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of Python's values to nvtxEventAttributes_t. */
#ifndef RF_NVTX_EVENT_H
#define RF_NVTX_EVENT_H

#include "nvtx_python.h"

#include "domain.h"
#include "extended.h"

struct event {
    struct domain *domain;
    nvtxEventAttributes_t attributes;
    PyObject *text;          /* the object that attributes.message.ascii points into; NULL: none */
    struct payload *payload; /* what attributes.payload points to; NULL: nothing */
    bool is_deferred;        /* the payload may change, and was not read */
};

/* Makes *event of what was given, for the attached tool. What cannot be recorded is said and left
 * out. defers: a payload that may change is left to nvtx_event_read_payload(). Returns 0, or -1
 * with an exception; nothing is to be released then. */
int nvtx_event_init(struct event *event, struct domain *domain, PyObject *const *given,
                    bool defers);

/* Sets the payload. Returns 0, or -1 with an exception. */
int nvtx_event_read_payload(struct event *event, PyObject *payload);

/* An event without anything to release. */
static inline void nvtx_event_clear(struct event *event)
{
    event->text = NULL;
    event->payload = NULL;
}

static inline void nvtx_event_release(struct event *event)
{
    Py_XDECREF(event->text);
    if (event->payload != NULL)
        PyMem_Free(event->payload);
}

#endif
