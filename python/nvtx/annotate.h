/* SPDX-License-Identifier: Apache-2.0 */
/* The context manager and decorator. */
#ifndef RF_NVTX_ANNOTATE_H
#define RF_NVTX_ANNOTATE_H

#include "nvtx_python.h"

#include "attributes.h"

extern PyTypeObject nvtx_annotate_type;

struct annotate {
    struct prepared prepared;
};

/* Pushes its range. Returns 0, or -1 with an exception. */
int nvtx_annotate_push(struct annotate *annotate);

#endif
