/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of nvToolsExtMem.h, which alone includes this, and their slots. */
#ifndef RF_NVTX_MEMORY_H
#define RF_NVTX_MEMORY_H

#include "rf_nvtx_ext_calls.h"

#define RF_NVTX_MEMORY(R, EV)                                                                      \
    R(rf_nvtx_v1_memory, nvtxMemHeapRegister, nvtxMemHeapHandle_t, NVTX_NULLPTR,                   \
      (nvtxDomainHandle_t domain, const nvtxMemHeapDesc_t *desc), (domain, desc))                  \
    EV(rf_nvtx_v1_memory, nvtxMemHeapUnregister,                                                   \
       (nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap), (domain, heap))                      \
    EV(rf_nvtx_v1_memory, nvtxMemHeapReset, (nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap), \
       (domain, heap))                                                                             \
    EV(rf_nvtx_v1_memory, nvtxMemRegionsRegister,                                                  \
       (nvtxDomainHandle_t domain, const nvtxMemRegionsRegisterBatch_t *desc), (domain, desc))     \
    EV(rf_nvtx_v1_memory, nvtxMemRegionsResize,                                                    \
       (nvtxDomainHandle_t domain, const nvtxMemRegionsResizeBatch_t *desc), (domain, desc))       \
    EV(rf_nvtx_v1_memory, nvtxMemRegionsUnregister,                                                \
       (nvtxDomainHandle_t domain, const nvtxMemRegionsUnregisterBatch_t *desc), (domain, desc))   \
    EV(rf_nvtx_v1_memory, nvtxMemRegionsName,                                                      \
       (nvtxDomainHandle_t domain, const nvtxMemRegionsNameBatch_t *desc), (domain, desc))         \
    EV(rf_nvtx_v1_memory, nvtxMemPermissionsAssign,                                                \
       (nvtxDomainHandle_t domain, const nvtxMemPermissionsAssignBatch_t *desc), (domain, desc))   \
    R(rf_nvtx_v1_memory, nvtxMemPermissionsCreate, nvtxMemPermissionsHandle_t, NVTX_NULLPTR,       \
      (nvtxDomainHandle_t domain, int32_t flags), (domain, flags))                                 \
    EV(rf_nvtx_v1_memory, nvtxMemPermissionsDestroy,                                               \
       (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions), (domain, permissions)) \
    EV(rf_nvtx_v1_memory, nvtxMemPermissionsReset,                                                 \
       (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions), (domain, permissions)) \
    EV(rf_nvtx_v1_memory, nvtxMemPermissionsBind,                                                  \
       (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions, uint32_t scope,         \
        uint32_t flags),                                                                           \
       (domain, permissions, scope, flags))                                                        \
    EV(rf_nvtx_v1_memory, nvtxMemPermissionsUnbind, (nvtxDomainHandle_t domain, uint32_t scope),   \
       (domain, scope))

#ifdef __cplusplus
extern "C" {
#endif

RF_NVTX_MEMORY(RF_NVTX_EXT_TYPE_R, RF_NVTX_EXT_TYPE_V)

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifndef NVTX_NO_IMPL

#ifndef NVTX_DISABLE
#include "rf_nvtx_ext_loader.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NVTX_DISABLE
NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_memory;
NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_memory = {
    {RF_NVTX_FRESH}, NVTX_EXT_MODULEID_MEM, NVTX_EXT_COMPATID_MEM, 0,
    NVTX_NULLPTR,    NVTX_NULLPTR,          {0, NVTX_NULLPTR}};
#endif

RF_NVTX_MEMORY(RF_NVTX_EXT_CALL_R, RF_NVTX_EXT_EVENT_V)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTX_NO_IMPL */

#endif /* RF_NVTX_MEMORY_H */
