/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_ATTRIBUTES_H
#define RF_NVTX_ATTRIBUTES_H

#include "nvtx_python.h"

#include "arguments.h"
#include "event.h"

/* EventAttributes, and the base of annotate: the arguments, and the event that is made of them when
 * it is first needed. */
struct prepared {
    PyObject_HEAD struct event event;
    unsigned attached; /* value of nvtx_attached when event was filled; 0: not filled */
    bool defers;       /* a payload that may change is read each time */
    PyObject *given[N_KEPT];
};

extern PyTypeObject nvtx_attributes_type;

/* Keeps the arguments given[], and fills the event if a tool is attached. */
int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given,
                       bool defers);

/* An EventAttributes; NULL with an exception. */
PyObject *nvtx_attributes_new(struct domain *domain, PyObject *const *given);

/* Replaces the arguments that are in given[]. */
int nvtx_prepared_set(struct prepared *prepared, PyObject *const *given);
void nvtx_prepared_release(struct prepared *prepared);

/* The event, filled for the attached tool; one must be attached. NULL with an exception. */
const struct event *nvtx_prepared_event(struct prepared *prepared);

#endif
