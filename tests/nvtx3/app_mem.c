/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the memory extension, as C99 and as C++. Two runs: "heard" under the tool
 * ext_tool.c, whose results are checked; "silent" without a tool or disabled.
 */
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtMemCudaRt.h>

#include "check.h"
#include <string.h>

#define NONE NVTX_NULLPTR

static int is_heard;

/* A handle with the tool, none without. */
#define EXPECT(call, type, heard)                                                                  \
    CHECK((call) == (is_heard ? NVTX_REINTERPRET_CAST(type, NVTX_STATIC_CAST(uintptr_t, heard))    \
                              : NVTX_NULLPTR))

static nvtxDomainHandle_t domain;

static const void *at(uintptr_t address)
{
    return NVTX_REINTERPRET_CAST(const void *, address);
}

static void run_heaps(void)
{
    nvtxMemVirtualRangeDesc_t range;
    nvtxMemHeapDesc_t heap;

    range.size = 4096;
    range.ptr = at(0x10000);
    memset(&heap, 0, sizeof heap);
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.category = 7;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "pool";
    EXPECT(nvtxMemHeapRegister(domain, &heap), nvtxMemHeapHandle_t, 0x91);
    nvtxMemHeapReset(domain, NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE);
    nvtxMemHeapUnregister(domain, NVTX_MEM_HEAP_HANDLE_NO_TOOL);
}

static void run_regions(void)
{
    nvtxMemVirtualRangeDesc_t ranges[2];
    nvtxMemRegionHandle_t handles[2] = {NONE, NONE};
    nvtxMemRegionsRegisterBatch_t added;
    nvtxMemRegionsResizeBatch_t resized;

    ranges[0].size = 16;
    ranges[0].ptr = at(0x10000);
    ranges[1].size = 32;
    ranges[1].ptr = at(0x10010);
    memset(&added, 0, sizeof added);
    added.extCompatID = NVTX_EXT_COMPATID_MEM;
    added.structSize = sizeof added;
    added.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    added.heap = NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE;
    added.regionCount = 2;
    added.regionDescElementSize = sizeof ranges[0];
    added.regionDescElements = ranges;
    added.regionHandleElementsOut = handles;
    nvtxMemRegionsRegister(domain, &added);
    EXPECT(handles[1], nvtxMemRegionHandle_t, 0x1001);
    memset(&resized, 0, sizeof resized);
    resized.extCompatID = NVTX_EXT_COMPATID_MEM;
    resized.structSize = sizeof resized;
    resized.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    resized.regionDescCount = 1;
    resized.regionDescElementSize = sizeof ranges[0];
    resized.regionDescElements = ranges + 1;
    nvtxMemRegionsResize(domain, &resized);
}

static void run_references(void)
{
    nvtxMemRegionRef_t refs[2];
    nvtxMemRegionNameDesc_t name;
    nvtxMemRegionsNameBatch_t names;
    nvtxMemRegionsUnregisterBatch_t gone;

    refs[0].pointer = at(0x10000);
    refs[1].handle = NVTX_MEM_REGION_HANDLE_NO_TOOL;
    memset(&name, 0, sizeof name);
    name.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    name.nameType = NVTX_MESSAGE_TYPE_ASCII;
    name.region = refs[0];
    name.name.ascii = "first";
    name.category = 8;
    memset(&names, 0, sizeof names);
    names.extCompatID = NVTX_EXT_COMPATID_MEM;
    names.structSize = sizeof names;
    names.regionCount = 1;
    names.regionElementSize = sizeof name;
    names.regionElements = &name;
    nvtxMemRegionsName(domain, &names);
    memset(&gone, 0, sizeof gone);
    gone.extCompatID = NVTX_EXT_COMPATID_MEM;
    gone.structSize = sizeof gone;
    gone.refType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
    gone.refCount = 2;
    gone.refElementSize = sizeof refs[0];
    gone.refElements = refs;
    nvtxMemRegionsUnregister(domain, &gone);
}

static void run_permissions(void)
{
    nvtxMemPermissionsAssignRegionDesc_t region;
    nvtxMemPermissionsAssignBatch_t regions;

    memset(&region, 0, sizeof region);
    region.flags = NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ | NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE;
    region.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    region.region.pointer = at(0x10010);
    memset(&regions, 0, sizeof regions);
    regions.extCompatID = NVTX_EXT_COMPATID_MEM;
    regions.structSize = sizeof regions;
    regions.permissions = NVTX_MEM_PERMISSIONS_HANDLE_PROCESS_WIDE;
    regions.regionCount = 1;
    regions.regionElementSize = sizeof region;
    regions.regionElements = &region;
    nvtxMemPermissionsAssign(domain, &regions);
    EXPECT(nvtxMemPermissionsCreate(domain, NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_WRITE),
           nvtxMemPermissionsHandle_t, 0x92);
    nvtxMemPermissionsBind(domain, NONE, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM,
                           NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_ATOMIC);
    nvtxMemPermissionsUnbind(domain, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD);
    nvtxMemPermissionsReset(domain, NONE);
    nvtxMemPermissionsDestroy(domain, NONE);
}

static void run_cuda(void)
{
    nvtxMemCudaArrayRangeDesc_t part;
    nvtxMemMarkInitializedBatch_t marked;

    memset(&part, 0, sizeof part);
    part.extCompatID = NVTX_EXT_COMPATID_MEM;
    part.structSize = sizeof part;
    part.offset[0] = 1;
    part.extent[2] = 9;
    memset(&marked, 0, sizeof marked);
    marked.extCompatID = NVTX_EXT_COMPATID_MEM;
    marked.structSize = sizeof marked;
    marked.regionType = NVTX_MEM_TYPE_CUDA_ARRAY;
    marked.regionDescCount = 1;
    marked.regionDescElementSize = sizeof part;
    marked.regionDescElements = &part;
    EXPECT(nvtxMemCudaGetProcessWidePermissions(domain), nvtxMemPermissionsHandle_t, 0x93);
    EXPECT(nvtxMemCudaGetDeviceWidePermissions(NONE, 3), nvtxMemPermissionsHandle_t, 0x94);
    nvtxMemCudaSetPeerAccess(domain, NONE, NVTX_MEM_CUDA_PEER_ALL_DEVICES,
                             NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET);
    nvtxMemCudaMarkInitialized(domain, NONE, 1, &marked);
}

int main(int argc, char **argv)
{
    is_heard = argc > 1 && strcmp(argv[1], "heard") == 0;
    domain = NVTX_REINTERPRET_CAST(nvtxDomainHandle_t, is_heard ? NVTX_STATIC_CAST(uintptr_t, 0x77)
                                                                : NVTX_STATIC_CAST(uintptr_t, 0));
    run_heaps();
    run_regions();
    run_references();
    run_permissions();
    run_cuda();
    return 0;
}
