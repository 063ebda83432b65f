/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy, where the program has imported it; never imported here. */
#ifndef RF_NVTX_NUMPY_H
#define RF_NVTX_NUMPY_H

#include "nvtx_python.h"

/* Whether a value is a numpy.ndarray. */
bool nvtx_is_ndarray(PyObject *value);

/* numpy.ascontiguousarray(value, dtype): a new reference; dtype may be NULL. NULL without an
 * exception: the program has no NumPy. */
PyObject *nvtx_as_array(PyObject *value, PyObject *dtype);

#endif
