/* SPDX-License-Identifier: Apache-2.0 */
/* Values of counters. */
#ifndef RF_NVTX_NUMBER_H
#define RF_NVTX_NUMBER_H

#include "nvtx_python.h"

/* Converts an int, or what stands for one. Returns 1; 0 if it is none, or too large, which is said
 * of the argument; -1 with an exception. */
int nvtx_int64(PyObject *object, const char *argument, int64_t *value);

/* Converts a float or int, or what stands for one. Likewise. */
int nvtx_float64(PyObject *object, const char *argument, double *value);

#endif
