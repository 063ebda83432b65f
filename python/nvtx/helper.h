/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_HELPER_H
#define RF_NVTX_HELPER_H

#include "nvtx_python.h"

/* A function of the Python module rangefinder.nvtx._helpers; a borrowed reference, or NULL with an
 * exception. */
PyObject *nvtx_helper(const char *name);

#endif
