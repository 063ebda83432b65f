/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3: names for objects of the CUDA runtime interface. Needs cuda.h and driver_types.h of
 * the CUDA toolkit. nvToolsExt.h says what holds for all functions.
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
#include "driver_types.h"

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtCudaRt.h>
#elif !defined(NVTOOLSEXT_CUDART_V3)
#define NVTOOLSEXT_CUDART_V3

#ifdef __cplusplus
extern "C" {
#endif

/* Resource class and types, for nvtxDomainResourceCreate; the identifier is the handle. Unlike
 * in the other classes the numbers begin at 0. */
#define NVTX_RESOURCE_CLASS_CUDART 5

typedef enum nvtxResourceCUDARTType_t {
    NVTX_RESOURCE_TYPE_CUDART_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDART, 0), /* int */
    NVTX_RESOURCE_TYPE_CUDART_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDART, 1), /* cudaStream_t */
    NVTX_RESOURCE_TYPE_CUDART_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDART, 2)   /* cudaEvent_t */
} nvtxResourceCUDARTType_t;

/* Each names one object, in the default domain. The object must exist at the call; a later
 * name replaces the earlier one. A device is given by its number. */
NVTX_DECLSPEC void NVTX_API nvtxNameCudaDeviceA(int device, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCudaDeviceW(int device, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCudaStreamA(cudaStream_t stream, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCudaEventA(cudaEvent_t event, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *name);

/* Names without A or W, chosen by UNICODE. */
#ifdef UNICODE
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent  nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent  nvtxNameCudaEventA
#endif

/* The functions' types with their real parameters, for tools. */
RF_NVTX_CUDART(RF_NVTX_TYPE_V, cudaStream_t, cudaEvent_t)

#ifndef NVTX_NO_IMPL
RF_NVTX_CUDART(RF_NVTX_CALL_V, cudaStream_t, cudaEvent_t)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTOOLSEXT_CUDART_V3 */
