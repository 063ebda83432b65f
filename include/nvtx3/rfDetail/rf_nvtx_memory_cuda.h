/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of nvToolsExtMemCudaRt.h, which alone includes this. */
#ifndef RF_NVTX_MEMORY_CUDA_H
#define RF_NVTX_MEMORY_CUDA_H

#define RF_NVTX_MEMORY_CUDA(R, EV)                                                                 \
    R(rf_nvtx_v1_memory, nvtxMemCudaGetProcessWidePermissions, nvtxMemPermissionsHandle_t,         \
      NVTX_NULLPTR, (nvtxDomainHandle_t domain), (domain))                                         \
    R(rf_nvtx_v1_memory, nvtxMemCudaGetDeviceWidePermissions, nvtxMemPermissionsHandle_t,          \
      NVTX_NULLPTR, (nvtxDomainHandle_t domain, int device), (domain, device))                     \
    EV(rf_nvtx_v1_memory, nvtxMemCudaSetPeerAccess,                                                \
       (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions, int peer,               \
        uint32_t flags),                                                                           \
       (domain, permissions, peer, flags))                                                         \
    EV(rf_nvtx_v1_memory, nvtxMemCudaMarkInitialized,                                              \
       (nvtxDomainHandle_t domain, cudaStream_t stream, uint8_t is_of_thread,                      \
        const nvtxMemMarkInitializedBatch_t *desc),                                                \
       (domain, stream, is_of_thread, desc))

#ifdef __cplusplus
extern "C" {
#endif

RF_NVTX_MEMORY_CUDA(RF_NVTX_EXT_TYPE_R, RF_NVTX_EXT_TYPE_V)

#ifndef NVTX_NO_IMPL
RF_NVTX_MEMORY_CUDA(RF_NVTX_EXT_CALL_R, RF_NVTX_EXT_EVENT_V)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RF_NVTX_MEMORY_CUDA_H */
