/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_COLORS_H
#define RF_NVTX_COLORS_H

#include "nvtx_python.h"

/* Converts a color that is not None. Returns 1; 0 if it is no color, after a warning; -1 with an
 * exception. */
int nvtx_color(PyObject *color, uint32_t *argb);

#endif
