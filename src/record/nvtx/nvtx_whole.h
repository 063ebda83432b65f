/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a whole run. */
#ifndef RF_RECORD_NVTX_NVTX_WHOLE_H
#define RF_RECORD_NVTX_NVTX_WHOLE_H

#include "record/nvtx/nvtx.h"

/* Marks and ranges of the default domain (NVTX_CB_MODULE_CORE). */
struct rf_callbacks rf_nvtx_whole_core(void);

/* Marks and ranges with a domain (NVTX_CB_MODULE_CORE2). */
struct rf_callbacks rf_nvtx_whole_domain(void);

/* NVTX_CB_MODULE_SYNC. */
struct rf_callbacks rf_nvtx_whole_sync(void);

/* Events of the payload extension, and samples of the counters extension. */
struct rf_callbacks rf_nvtx_whole_payload(void);
struct rf_callbacks rf_nvtx_whole_counters(void);

/* The memory extension, but for heaps. */
struct rf_callbacks rf_nvtx_whole_memory(void);

#endif
