/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_ATTRIBUTES_H
#define RF_NVTX_ATTRIBUTES_H

#include "nvtx_python.h"

#include "arguments.h"
#include "event.h"

/* EventAttributes, and the base of annotate: what was given, and the event once it is needed. */
struct prepared {
    PyObject_HEAD struct event event;
    unsigned attached; /* nvtx_attached when event was filled; 0: it is not */
    PyObject *given[N_KEPT];
};

extern PyTypeObject nvtx_attributes_type;

/* Keeps given[], and fills the event where somebody listens. */
int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given);

/* Replaces the values that are given. */
int nvtx_prepared_set(struct prepared *prepared, PyObject *const *given);
void nvtx_prepared_release(struct prepared *prepared);

/* The event, filled for the tool that listens; somebody does. NULL with an exception. */
const struct event *nvtx_prepared_event(struct prepared *prepared);

#endif
