/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_NVTX_NVTX_CORE_H
#define RF_RECORD_NVTX_NVTX_CORE_H

#include "record/nvtx/nvtx.h"

/* Names of NVTX_CB_MODULE_CORE. */
struct rf_callbacks rf_nvtx_core_callbacks(void);

#endif
