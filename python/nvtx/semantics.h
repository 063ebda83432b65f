/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_SEMANTICS_H
#define RF_NVTX_SEMANTICS_H

#include "nvtx_python.h"

#include <nvtx3/nvToolsExtSemanticsCounters.h>

/* What CounterSemantics._numbers() returns: (flags, unit, numerator, denominator, limit type, min,
 * max); unit: str, bytes or None. The unit is borrowed from it. Returns 0, or -1 with an exception.
 */
int nvtx_read_semantics(PyObject *numbers, nvtxSemanticsCounter_t *semantics);

#endif
