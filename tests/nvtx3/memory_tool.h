/* SPDX-License-Identifier: Apache-2.0 */
/* The memory extension's part of ext_tool.c, which alone includes this. */
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtMemCudaRt.h>

/* A handle that the program gets. */
static void *handle_of(uintptr_t number)
{
    return (void *)number;
}

/* Every batch begins with these two. */
static void say_head(const char *name, nvtxDomainHandle_t domain, uint16_t compat_id, uint16_t size)
{
    say("%s %p version=%x size=%u", name, (void *)domain, compat_id, size);
}

static void say_ranges(const void *elements, size_t count, size_t size)
{
    say(" count=%zu of %zu", count, size);
    for (size_t i = 0; i < count; i++) {
        const nvtxMemVirtualRangeDesc_t *range = (const void *)((const char *)elements + i * size);
        say(" %p+%zu", range->ptr, range->size);
    }
}

static nvtxMemHeapHandle_t on_nvtxMemHeapRegister(nvtxDomainHandle_t domain,
                                                  const nvtxMemHeapDesc_t *d)
{
    say_head("MemHeapRegister", domain, d->extCompatID, d->structSize);
    say(" usage=%u type=%u category=%u", d->usage, d->type, d->category);
    say_ranges(d->typeSpecificDesc, 1, d->typeSpecificDescSize);
    if (d->messageType == NVTX_MESSAGE_TYPE_ASCII)
        say_text("name", d->message.ascii);
    end_line();
    return handle_of(0x91);
}

static void on_nvtxMemHeapUnregister(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
    say("MemHeapUnregister %p %p", (void *)domain, (void *)heap);
    end_line();
}

static void on_nvtxMemHeapReset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
    say("MemHeapReset %p %p", (void *)domain, (void *)heap);
    end_line();
}

static void on_nvtxMemRegionsRegister(nvtxDomainHandle_t domain,
                                      const nvtxMemRegionsRegisterBatch_t *b)
{
    say_head("MemRegionsRegister", domain, b->extCompatID, b->structSize);
    say(" type=%u heap=%p", b->regionType, (void *)b->heap);
    say_ranges(b->regionDescElements, b->regionCount, b->regionDescElementSize);
    for (size_t i = 0; b->regionHandleElementsOut && i < b->regionCount; i++)
        b->regionHandleElementsOut[i] = handle_of(0x1000 + i);
    end_line();
}

static void on_nvtxMemRegionsResize(nvtxDomainHandle_t domain, const nvtxMemRegionsResizeBatch_t *b)
{
    say_head("MemRegionsResize", domain, b->extCompatID, b->structSize);
    say(" type=%u", b->regionType);
    say_ranges(b->regionDescElements, b->regionDescCount, b->regionDescElementSize);
    end_line();
}

static void on_nvtxMemRegionsUnregister(nvtxDomainHandle_t domain,
                                        const nvtxMemRegionsUnregisterBatch_t *b)
{
    say_head("MemRegionsUnregister", domain, b->extCompatID, b->structSize);
    say(" by=%u count=%zu of %zu", b->refType, b->refCount, b->refElementSize);
    for (size_t i = 0; i < b->refCount; i++)
        say(" %p", b->refElements[i].pointer);
    end_line();
}

static void on_nvtxMemRegionsName(nvtxDomainHandle_t domain, const nvtxMemRegionsNameBatch_t *b)
{
    say_head("MemRegionsName", domain, b->extCompatID, b->structSize);
    say(" count=%zu of %zu", b->regionCount, b->regionElementSize);
    for (size_t i = 0; i < b->regionCount; i++) {
        say(" %u:%p category=%u", b->regionElements[i].regionRefType,
            b->regionElements[i].region.pointer, b->regionElements[i].category);
        if (b->regionElements[i].nameType == NVTX_MESSAGE_TYPE_ASCII)
            say_text("name", b->regionElements[i].name.ascii);
    }
    end_line();
}

static void on_nvtxMemPermissionsAssign(nvtxDomainHandle_t domain,
                                        const nvtxMemPermissionsAssignBatch_t *b)
{
    say_head("MemPermissionsAssign", domain, b->extCompatID, b->structSize);
    say(" to=%p count=%zu of %zu", (void *)b->permissions, b->regionCount, b->regionElementSize);
    for (size_t i = 0; i < b->regionCount; i++)
        say(" %u:%p=%x", b->regionElements[i].regionRefType, b->regionElements[i].region.pointer,
            b->regionElements[i].flags);
    end_line();
}

static nvtxMemPermissionsHandle_t on_nvtxMemPermissionsCreate(nvtxDomainHandle_t domain,
                                                              int32_t flags)
{
    say("MemPermissionsCreate %p flags=%x", (void *)domain, (unsigned)flags);
    end_line();
    return handle_of(0x92);
}

static void on_nvtxMemPermissionsDestroy(nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t p)
{
    say("MemPermissionsDestroy %p %p", (void *)domain, (void *)p);
    end_line();
}

static void on_nvtxMemPermissionsReset(nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t p)
{
    say("MemPermissionsReset %p %p", (void *)domain, (void *)p);
    end_line();
}

static void on_nvtxMemPermissionsBind(nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t p,
                                      uint32_t scope, uint32_t flags)
{
    say("MemPermissionsBind %p %p scope=%u flags=%x", (void *)domain, (void *)p, scope, flags);
    end_line();
}

static void on_nvtxMemPermissionsUnbind(nvtxDomainHandle_t domain, uint32_t scope)
{
    say("MemPermissionsUnbind %p scope=%u", (void *)domain, scope);
    end_line();
}

static nvtxMemPermissionsHandle_t on_nvtxMemCudaGetProcessWidePermissions(nvtxDomainHandle_t domain)
{
    say("MemCudaGetProcessWidePermissions %p", (void *)domain);
    end_line();
    return handle_of(0x93);
}

static nvtxMemPermissionsHandle_t on_nvtxMemCudaGetDeviceWidePermissions(nvtxDomainHandle_t domain,
                                                                         int device)
{
    say("MemCudaGetDeviceWidePermissions %p device=%d", (void *)domain, device);
    end_line();
    return handle_of(0x94);
}

static void on_nvtxMemCudaSetPeerAccess(nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t p,
                                        int peer, uint32_t flags)
{
    say("MemCudaSetPeerAccess %p %p peer=%d flags=%x", (void *)domain, (void *)p, peer, flags);
    end_line();
}

static void on_nvtxMemCudaMarkInitialized(nvtxDomainHandle_t domain, cudaStream_t stream,
                                          uint8_t is_of_thread,
                                          const nvtxMemMarkInitializedBatch_t *b)
{
    say_head("MemCudaMarkInitialized", domain, b->extCompatID, b->structSize);
    say(" stream=%p %u type=%x ", (void *)stream, is_of_thread, b->regionType);
    say_bytes(b->regionDescElements, b->regionDescCount * b->regionDescElementSize);
    end_line();
}

static void take_memory(nvtxExtModuleInfo_t *module)
{
    TAKE(nvtxMemHeapRegister);
    TAKE(nvtxMemHeapUnregister);
    TAKE(nvtxMemHeapReset);
    TAKE(nvtxMemRegionsRegister);
    TAKE(nvtxMemRegionsResize);
    TAKE(nvtxMemRegionsUnregister);
    TAKE(nvtxMemRegionsName);
    TAKE(nvtxMemPermissionsAssign);
    TAKE(nvtxMemPermissionsCreate);
    TAKE(nvtxMemPermissionsDestroy);
    TAKE(nvtxMemPermissionsReset);
    TAKE(nvtxMemPermissionsBind);
    TAKE(nvtxMemPermissionsUnbind);
    TAKE(nvtxMemCudaGetProcessWidePermissions);
    TAKE(nvtxMemCudaGetDeviceWidePermissions);
    TAKE(nvtxMemCudaSetPeerAccess);
    TAKE(nvtxMemCudaMarkInitialized);
}
