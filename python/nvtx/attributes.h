/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_ATTRIBUTES_H
#define RF_NVTX_ATTRIBUTES_H

#include "nvtx_python.h"

#include "arguments.h"
#include "event.h"
#include "threads.h"

/* EventAttributes, and the base of annotate: the arguments, and the event that is made of them when
 * it is first needed. */
struct prepared {
    PyObject_HEAD struct event event;
    unsigned attached;  /* value of nvtx_attached when event was filled; 0: not filled */
    bool defers;        /* a payload that may change is read each time */
    struct guard mutex; /* of event and given[] */
    PyObject *given[N_KEPT];
};

extern PyTypeObject nvtx_attributes_type;

/* Keeps the arguments given[], and fills the event if a tool is attached. */
int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given,
                       bool defers);

/* An EventAttributes; NULL with an exception. */
PyObject *nvtx_attributes_new(struct domain *domain, PyObject *const *given);

/* Replaces the arguments that are in given[], and the domain, unless it is NULL. Returns 0, or -1
 * with an exception: nothing is replaced then. */
int nvtx_prepared_set(struct prepared *prepared, struct domain *domain, PyObject *const *given);
void nvtx_prepared_release(struct prepared *prepared);

/* What nvtx_prepared_hold() replaced. */
struct replaced {
    bool is_used;
    struct event event;
    PyObject *given[N_KEPT];
};

/* Replaces the arguments that are in given[] (NULL: none), and returns the event, filled for the
 * attached tool; one must be attached. Other threads wait with theirs until nvtx_prepared_let_go();
 * no code of Python's may run before. NULL with an exception: nothing is to be let go. */
const struct event *nvtx_prepared_hold(struct prepared *prepared, PyObject *const *given,
                                       struct replaced *replaced);
void nvtx_prepared_let_go(struct prepared *prepared, struct replaced *replaced);

/* The arguments as they are now: new references, and NULLs. Returns their domain. */
struct domain *nvtx_prepared_given(struct prepared *prepared, PyObject **given);
void nvtx_release_given(PyObject **given);

#endif
