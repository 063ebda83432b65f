/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_COLORS_H
#define RF_NVTX_COLORS_H

#include "nvtx_python.h"

/* A color other than None. Returns 1; 0: it is none, which was said; -1 with an exception. */
int nvtx_color(PyObject *color, uint32_t *argb);

#endif
