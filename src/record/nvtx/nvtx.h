/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's binary interface as the recorder sees it. */
#ifndef RF_RECORD_NVTX_NVTX_H
#define RF_RECORD_NVTX_NVTX_H

#define NVTX_NO_IMPL
#include "nvtx3/nvToolsExt.h"
#include "nvtx3/nvToolsExtCounters.h"
#include "nvtx3/nvToolsExtMem.h"
#include "nvtx3/nvToolsExtPayload.h"
#include "nvtx3/nvToolsExtSemanticsCorrelation.h"
#include "nvtx3/nvToolsExtSemanticsCounters.h"
#include "nvtx3/nvToolsExtSemanticsScope.h"
#include "nvtx3/nvToolsExtSemanticsTime.h"
#include "nvtx3/nvToolsExtSync.h"
#include "nvtx3/nvtxDetail/nvtxExtTypes.h"
#include "nvtx3/nvtxDetail/nvtxTypes.h"

#include <stdint.h>

/* The callbacks of one module: the entry of callback id i, or NULL. */
struct rf_callbacks {
    uint32_t n;
    const NvtxFunctionPointer *entry;
};

#define RF_CALLBACK(f) ((NvtxFunctionPointer)(void (*)(void))(f))

#endif
