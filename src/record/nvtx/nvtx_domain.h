/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_NVTX_NVTX_DOMAIN_H
#define RF_RECORD_NVTX_NVTX_DOMAIN_H

#include "record/nvtx/nvtx.h"

/* Names and objects of NVTX_CB_MODULE_CORE2. */
struct rf_callbacks rf_nvtx_domain_callbacks(void);

/* Sync objects: NVTX_CB_MODULE_SYNC. */
struct rf_callbacks rf_nvtx_sync_callbacks(void);

#endif
