/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of Python's values to nvtxEventAttributes_t. */
#ifndef RF_NVTX_EVENT_H
#define RF_NVTX_EVENT_H

#include "nvtx_python.h"

#include "domain.h"

struct event {
    struct domain *domain;
    nvtxEventAttributes_t attributes;
    PyObject *text; /* the object that attributes.message.ascii points into; NULL: none */
};

/* Makes *event of what was given, for the attached tool. What cannot be recorded is said and left
 * out. Returns 0, or -1 with an exception; nothing is to be released then. */
int nvtx_event_init(struct event *event, struct domain *domain, PyObject *const *given);

static inline void nvtx_event_release(struct event *event)
{
    Py_XDECREF(event->text);
}

#endif
