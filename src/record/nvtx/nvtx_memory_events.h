/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of NVTX's memory extension that are events, for one kind of run. Included behind
 * nvtx_ext_events.h, by the same files. */
#include "record/nvtx/memory_records.h"

/* Is the call recorded now? One between captures is counted. */
RF_INLINE bool is_memory_recorded(nvtxDomainHandle_t domain)
{
    if (is_ext_recorded(domain))
        return true;
    if (RF_THIS_RUN != RF_RUN_WHOLE && !rf_domain_is_excluded(domain_of(domain)))
        rf_count_memory_call();
    return false;
}

/* A batch of one element of today's version. */
#define RF_IS_SINGLE(batch, n, size, element_size, elements)                                       \
    ((batch) != NULL && (batch)->structSize == sizeof(*(batch)) &&                                 \
     (batch)->extCompatID == NVTX_EXT_COMPATID_MEM && (batch)->n == 1 &&                           \
     (batch)->size == (element_size) && (batch)->elements != NULL)

static void regions_register(nvtxDomainHandle_t domain, const nvtxMemRegionsRegisterBatch_t *b)
{
    const bool is_recorded = is_memory_recorded(domain);
    if (!is_recorded || domain_of(domain) >= RF_EXT_DOMAIN_ESCAPE ||
        !RF_IS_SINGLE(b, regionCount, regionDescElementSize, sizeof(nvtxMemVirtualRangeDesc_t),
                      regionDescElements) ||
        b->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) {
        rf_memory_register(domain_of(domain), b, is_recorded);
        return;
    }
    const nvtxMemVirtualRangeDesc_t *range = b->regionDescElements;
    uint64_t handle = 0;
    if (b->regionHandleElementsOut != NULL) {
        handle = rf_memory_handles(1);
        b->regionHandleElementsOut[0] = (nvtxMemRegionHandle_t)(uintptr_t)handle;
    }
    const uint64_t words[] = {RF_EXT_REGIONS | domain_of(domain) << RF_EXT_DOMAIN_SHIFT,
                              (uint64_t)(uintptr_t)b->heap,
                              handle,
                              NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                              (uint64_t)(uintptr_t)range->ptr,
                              range->size};
    rf_memory_emit(words, 6);
}

static void regions_unregister(nvtxDomainHandle_t domain, const nvtxMemRegionsUnregisterBatch_t *b)
{
    if (!is_memory_recorded(domain))
        return;
    if (domain_of(domain) >= RF_EXT_DOMAIN_ESCAPE ||
        !RF_IS_SINGLE(b, refCount, refElementSize, sizeof(nvtxMemRegionRef_t), refElements) ||
        b->refType - 1 > NVTX_MEM_REGION_REF_TYPE_HANDLE - 1) {
        rf_memory_unregister(domain_of(domain), b);
        return;
    }
    const uint64_t words[] = {RF_EXT_UNREGISTER | domain_of(domain) << RF_EXT_DOMAIN_SHIFT,
                              b->refType, (uint64_t)(uintptr_t)b->refElements[0].pointer};
    rf_memory_emit(words, 3);
}

static void regions_resize(nvtxDomainHandle_t domain, const nvtxMemRegionsResizeBatch_t *batch)
{
    if (is_memory_recorded(domain))
        rf_memory_resize(domain_of(domain), batch);
}

static void regions_name(nvtxDomainHandle_t domain, const nvtxMemRegionsNameBatch_t *batch)
{
    if (is_memory_recorded(domain))
        rf_memory_name(domain_of(domain), batch);
}

static void end_heap(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap, uint64_t is_gone)
{
    const uint64_t words[] = {rf_ext_word1(RF_EXT_HEAP_END, domain_of(domain)),
                              (uint64_t)(uintptr_t)heap, is_gone};
    if (is_memory_recorded(domain))
        rf_memory_emit_slow(words, 3);
}

static void heap_unregister(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
    end_heap(domain, heap, 1);
}

static void heap_reset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
    end_heap(domain, heap, 0);
}

/* ---- Permissions, and what CUDA's memory is: taken, and counted ---- */

/* Those of a device are always the same; -1: those of all. */
#define RF_DEVICE_PERMISSIONS(device) (RF_MEMORY_HANDLES | 1ULL << 62 | ((uint32_t)(device) + 1u))

static void count_call(nvtxDomainHandle_t domain, uint32_t function)
{
    if (is_memory_recorded(domain))
        rf_memory_call(domain_of(domain), function, RF_MEMORY_TAKEN, 0);
}

static void count_assign(nvtxDomainHandle_t domain, const void *batch)
{
    (void)batch;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsAssign);
}

static void *count_create(nvtxDomainHandle_t domain, int32_t flags)
{
    (void)flags;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsCreate);
    return (void *)(uintptr_t)rf_memory_handles(1);
}

static void count_destroy(nvtxDomainHandle_t domain, const void *permissions)
{
    (void)permissions;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsDestroy);
}

static void count_reset(nvtxDomainHandle_t domain, const void *permissions)
{
    (void)permissions;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsReset);
}

static void count_bind(nvtxDomainHandle_t domain, const void *permissions, uint32_t scope,
                       uint32_t flags)
{
    (void)permissions, (void)scope, (void)flags;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsBind);
}

static void count_unbind(nvtxDomainHandle_t domain, uint32_t scope)
{
    (void)scope;
    count_call(domain, NVTX3EXT_CBID_nvtxMemPermissionsUnbind);
}

static void *count_process(nvtxDomainHandle_t domain)
{
    count_call(domain, NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions);
    return (void *)(uintptr_t)RF_DEVICE_PERMISSIONS(-1);
}

static void *count_device(nvtxDomainHandle_t domain, int device)
{
    count_call(domain, NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions);
    return (void *)(uintptr_t)RF_DEVICE_PERMISSIONS(device);
}

static void count_peer_access(nvtxDomainHandle_t domain, const void *permissions, int peer,
                              uint32_t flags)
{
    (void)permissions, (void)peer, (void)flags;
    count_call(domain, NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess);
}

static void count_initialized(nvtxDomainHandle_t domain, const void *stream, uint8_t is_of_thread,
                              const void *batch)
{
    (void)stream, (void)is_of_thread, (void)batch;
    count_call(domain, NVTX3EXT_CBID_nvtxMemCudaMarkInitialized);
}

struct rf_callbacks RF_RUN(memory)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxMemHeapUnregister] = RF_CALLBACK(heap_unregister),
        [NVTX3EXT_CBID_nvtxMemHeapReset] = RF_CALLBACK(heap_reset),
        [NVTX3EXT_CBID_nvtxMemRegionsRegister] = RF_CALLBACK(regions_register),
        [NVTX3EXT_CBID_nvtxMemRegionsResize] = RF_CALLBACK(regions_resize),
        [NVTX3EXT_CBID_nvtxMemRegionsUnregister] = RF_CALLBACK(regions_unregister),
        [NVTX3EXT_CBID_nvtxMemRegionsName] = RF_CALLBACK(regions_name),
        [NVTX3EXT_CBID_nvtxMemPermissionsAssign] = RF_CALLBACK(count_assign),
        [NVTX3EXT_CBID_nvtxMemPermissionsCreate] = RF_CALLBACK(count_create),
        [NVTX3EXT_CBID_nvtxMemPermissionsDestroy] = RF_CALLBACK(count_destroy),
        [NVTX3EXT_CBID_nvtxMemPermissionsReset] = RF_CALLBACK(count_reset),
        [NVTX3EXT_CBID_nvtxMemPermissionsBind] = RF_CALLBACK(count_bind),
        [NVTX3EXT_CBID_nvtxMemPermissionsUnbind] = RF_CALLBACK(count_unbind),
        [NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions] = RF_CALLBACK(count_process),
        [NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions] = RF_CALLBACK(count_device),
        [NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess] = RF_CALLBACK(count_peer_access),
        [NVTX3EXT_CBID_nvtxMemCudaMarkInitialized] = RF_CALLBACK(count_initialized),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
