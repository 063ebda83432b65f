/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads that are more than a number: lists, tuples, ranges, bytes and NumPy's arrays. */
#ifndef RF_NVTX_EXTENDED_H
#define RF_NVTX_EXTENDED_H

#include "nvtx_python.h"

#include <nvtx3/nvToolsExtPayload.h>

#include "domain.h"

/* The bytes of one payload, in a block of its own. */
struct payload {
    nvtxPayloadData_t data;
    uint64_t n; /* in front of the values of an array */
    char values[];
};

/* Whether a value becomes a struct payload, and no number. */
bool nvtx_is_extended(PyObject *value);

/* Whether a payload may change: annotate reads it anew each time. */
bool nvtx_is_mutable(PyObject *value);

/* Makes a payload of a value for which nvtx_is_extended() is true; *made is to be freed with
 * PyMem_Free(). NULL: it is empty, or cannot be recorded, which is said. Returns 0, or -1 with an
 * exception. */
int nvtx_payload_make(struct domain *domain, PyObject *value, struct payload **made);

#endif
