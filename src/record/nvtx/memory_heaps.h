/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps of NVTX's memory extension: definitions (docs/format.md, section 11.1). */
#ifndef RF_RECORD_NVTX_MEMORY_HEAPS_H
#define RF_RECORD_NVTX_MEMORY_HEAPS_H

#include "record/nvtx/nvtx.h"

struct rf_callbacks rf_memory_heap_callbacks(void);

#endif
