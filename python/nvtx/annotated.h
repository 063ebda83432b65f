/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_ANNOTATED_H
#define RF_NVTX_ANNOTATED_H

#include "nvtx_python.h"

#include "annotate.h"

extern PyTypeObject nvtx_annotated_type;

/* A function that runs inside the range of an annotate. */
PyObject *nvtx_annotated_new(struct annotate *annotate, PyObject *function);

#endif
