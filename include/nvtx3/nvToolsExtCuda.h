/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3: names for objects of the CUDA driver interface. Needs cuda.h of the CUDA toolkit.
 * nvToolsExt.h says what holds for all functions.
 */
#include "nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#include "cuda.h"

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtCuda.h>
#elif !defined(NVTOOLSEXT_CUDA_V3)
#define NVTOOLSEXT_CUDA_V3

#ifdef __cplusplus
extern "C" {
#endif

/* Resource class and types, for nvtxDomainResourceCreate; the identifier is the handle. */
#define NVTX_RESOURCE_CLASS_CUDA 4

typedef enum nvtxResourceCUDAType_t {
    NVTX_RESOURCE_TYPE_CUDA_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDA, 1),  /* CUdevice */
    NVTX_RESOURCE_TYPE_CUDA_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 2), /* CUcontext */
    NVTX_RESOURCE_TYPE_CUDA_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDA, 3),  /* CUstream */
    NVTX_RESOURCE_TYPE_CUDA_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 4)    /* CUevent */
} nvtxResourceCUDAType_t;

/* Each names one object, in the default domain. The object must exist at the call; a later
 * name replaces the earlier one. */
NVTX_DECLSPEC void NVTX_API nvtxNameCuDeviceA(CUdevice device, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuDeviceW(CUdevice device, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuContextA(CUcontext context, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuContextW(CUcontext context, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuStreamA(CUstream stream, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuStreamW(CUstream stream, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuEventA(CUevent event, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCuEventW(CUevent event, const wchar_t *name);

/* Names without A or W, chosen by UNICODE. */
#ifdef UNICODE
#define nvtxNameCuDevice  nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream  nvtxNameCuStreamW
#define nvtxNameCuEvent   nvtxNameCuEventW
#else
#define nvtxNameCuDevice  nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream  nvtxNameCuStreamA
#define nvtxNameCuEvent   nvtxNameCuEventA
#endif

/* The functions' types with their real parameters, for tools. */
RF_NVTX_CUDA(RF_NVTX_TYPE_V, CUdevice, CUcontext, CUstream, CUevent)

#ifndef NVTX_NO_IMPL
RF_NVTX_CUDA(RF_NVTX_CALL_V, CUdevice, CUcontext, CUstream, CUevent)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTOOLSEXT_CUDA_V3 */
