/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: memory, as far as it needs types of CUDA: arrays of CUDA as heaps and
 * regions, permissions of devices, and memory that work of a stream has initialised. Needs cuda.h
 * and cuda_runtime.h of the CUDA toolkit. nvToolsExtMem.h says what holds for all functions.
 */
#include "nvToolsExtMem.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#include "cuda.h"
#include "cuda_runtime.h"

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtMemCudaRt.h>
#elif !defined(NVTX_MEM_CUDART_CONTENTS_V1)
/* Guards of NVIDIA's header: what stands here is left out there. */
#define NVTX_MEM_CUDART_CONTENTS_V1
#define NVTX_EXT_IMPL_MEM_CUDART_V1

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of memory: arrays of CUDA's runtime, and of its driver. A heap has the array as its
 * typeSpecificDesc, a region one of the structures below. */
#define NVTX_MEM_TYPE_CUDA_ARRAY 0x11
#define NVTX_MEM_TYPE_CU_ARRAY   0x12

#define NVTX_MEM_CUDA_PEER_ALL_DEVICES -1

/* A part of an array of the runtime. */
typedef struct nvtxMemCudaArrayRangeDesc_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemCudaArrayRangeDesc_t) */
    uint32_t reserved0;
    cudaArray_t src;
    size_t offset[3];
    size_t extent[3];
} nvtxMemCudaArrayRangeDesc_v1;
typedef nvtxMemCudaArrayRangeDesc_v1 nvtxMemCudaArrayRangeDesc_t;

/* A part of an array of the driver. */
typedef struct nvtxMemCuArrayRangeDesc_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemCuArrayRangeDesc_t) */
    uint32_t reserved0;
    CUarray src;
    size_t offset[3];
    size_t extent[3];
} nvtxMemCuArrayRangeDesc_v1;
typedef nvtxMemCuArrayRangeDesc_v1 nvtxMemCuArrayRangeDesc_t;

/* The permissions of work on GPUs: on all of them, on one. */
NVTX_DECLSPEC nvtxMemPermissionsHandle_t NVTX_API
nvtxMemCudaGetProcessWidePermissions(nvtxDomainHandle_t domain);
NVTX_DECLSPEC nvtxMemPermissionsHandle_t NVTX_API
nvtxMemCudaGetDeviceWidePermissions(nvtxDomainHandle_t domain, int device);

/* What may be done with the memory of another device, or of NVTX_MEM_CUDA_PEER_ALL_DEVICES:
 * NVTX_MEM_PERMISSIONS_REGION_FLAGS_... */
NVTX_DECLSPEC void NVTX_API nvtxMemCudaSetPeerAccess(nvtxDomainHandle_t domain,
                                                     nvtxMemPermissionsHandle_t permissions,
                                                     int devicePeer, uint32_t flags);

/* Memory that is initialised. */
typedef struct nvtxMemMarkInitializedBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemMarkInitializedBatch_t) */
    uint32_t regionType;  /* NVTX_MEM_TYPE_... */
    size_t regionDescCount;
    size_t regionDescElementSize;
    const void *regionDescElements;
} nvtxMemMarkInitializedBatch_v1;
typedef nvtxMemMarkInitializedBatch_v1 nvtxMemMarkInitializedBatch_t;

/* Says that work of a stream has initialised memory. isPerThreadStream: 0 or 1. */
NVTX_DECLSPEC void NVTX_API nvtxMemCudaMarkInitialized(nvtxDomainHandle_t domain,
                                                       cudaStream_t stream,
                                                       uint8_t isPerThreadStream,
                                                       const nvtxMemMarkInitializedBatch_t *desc);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "rfDetail/rf_nvtx_memory_cuda.h"

#endif /* NVTX_MEM_CUDART_CONTENTS_V1 */
