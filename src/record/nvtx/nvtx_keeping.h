/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a focused run that keeps the starts of open ranges between captures. */
#ifndef RF_RECORD_NVTX_NVTX_KEEPING_H
#define RF_RECORD_NVTX_NVTX_KEEPING_H

#include "record/nvtx/nvtx.h"

/* Marks and ranges of the default domain (NVTX_CB_MODULE_CORE). */
struct rf_callbacks rf_nvtx_keeping_core(void);

/* Marks and ranges with a domain (NVTX_CB_MODULE_CORE2). */
struct rf_callbacks rf_nvtx_keeping_domain(void);

/* NVTX_CB_MODULE_SYNC. */
struct rf_callbacks rf_nvtx_keeping_sync(void);

/* Events of the payload extension, and samples of the counters extension. */
struct rf_callbacks rf_nvtx_keeping_payload(void);
struct rf_callbacks rf_nvtx_keeping_counters(void);

/* The memory extension, but for heaps. */
struct rf_callbacks rf_nvtx_keeping_memory(void);

#endif
