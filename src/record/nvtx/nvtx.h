/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's binary interface as the recorder sees it, and the callbacks by module. */
#ifndef RF_RECORD_NVTX_NVTX_H
#define RF_RECORD_NVTX_NVTX_H

#define NVTX_NO_IMPL
#include "nvtx3/nvToolsExt.h"
#include "nvtx3/nvToolsExtSync.h"
#include "nvtx3/nvtxDetail/nvtxTypes.h"

#include "record/recorder.h"

/* A callback table: the entry of callback id i, or NULL. */
struct rf_callbacks {
    uint32_t n;
    const NvtxFunctionPointer *entry;
};

/* Events, of a whole run and of the two kinds of focused ones: marks and ranges of the default
 * domain (NVTX_CB_MODULE_CORE), those that take a domain (NVTX_CB_MODULE_CORE2), sync objects. */
struct rf_callbacks rf_nvtx_whole_core(void);
struct rf_callbacks rf_nvtx_whole_domain(void);
struct rf_callbacks rf_nvtx_whole_sync(void);
struct rf_callbacks rf_nvtx_keeping_core(void);
struct rf_callbacks rf_nvtx_keeping_domain(void);
struct rf_callbacks rf_nvtx_keeping_sync(void);
struct rf_callbacks rf_nvtx_dropping_core(void);
struct rf_callbacks rf_nvtx_dropping_domain(void);
struct rf_callbacks rf_nvtx_dropping_sync(void);

/* Names and objects, in the same modules. */
struct rf_callbacks rf_nvtx_core_callbacks(void);
struct rf_callbacks rf_nvtx_domain_callbacks(void);

/* Sync objects; names of CUDA and OpenCL objects. */
struct rf_callbacks rf_nvtx_sync_callbacks(void);
struct rf_callbacks rf_nvtx_cuda_callbacks(void);
struct rf_callbacks rf_nvtx_cudart_callbacks(void);
struct rf_callbacks rf_nvtx_opencl_callbacks(void);

#define RF_CALLBACK(f) ((NvtxFunctionPointer)(void (*)(void))(f))

#endif
