/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a counter, one after the other, and their timestamps. */
#ifndef RF_NVTX_SAMPLES_H
#define RF_NVTX_SAMPLES_H

#include "nvtx_python.h"

enum samples_type { SAMPLES_INT64, SAMPLES_FLOAT64, SAMPLES_OF_DTYPE };

struct samples {
    const void *data;
    size_t n, size;  /* of all, in bytes */
    Py_buffer view;  /* view.obj NULL: not used */
    void *allocated; /* NULL: none */
};

/* Reads an array, a buffer or an iterable. dtype: for SAMPLES_OF_DTYPE. Returns 1; 0 if it cannot
 * be read, which is said; -1 with an exception. There is something to release after 1 only. */
int nvtx_samples_read(struct samples *samples, PyObject *values, enum samples_type type,
                      PyObject *dtype);

void nvtx_samples_release(struct samples *samples);

#endif
