/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: memory. A heap is memory that an allocator hands out in pieces; the pieces
 * are its regions:
 *
 *     nvtxMemVirtualRangeDesc_t range = {size_of_pool, pool};
 *     nvtxMemHeapDesc_t attributes = {0};
 *     attributes.extCompatID = NVTX_EXT_COMPATID_MEM;
 *     attributes.structSize = sizeof attributes;
 *     attributes.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
 *     attributes.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
 *     attributes.typeSpecificDescSize = sizeof range;
 *     attributes.typeSpecificDesc = &range;
 *     attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
 *     attributes.message.ascii = "pool";
 *     heap = nvtxMemHeapRegister(domain, &attributes);
 *     ...
 *     nvtxMemRegionsRegister(domain, &regions);    where the allocator gives something
 *     nvtxMemRegionsUnregister(domain, &regions);  where it gets it back
 *
 * Permissions say which memory may be read or written; they are for tools that check accesses.
 * nvToolsExtPayload.h says what holds for all extensions; nvToolsExtMemCudaRt.h has what needs
 * CUDA's types. Every batch has its size, and the size of its elements, so that later versions can
 * add fields.
 */
#include "nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtMem.h>
#elif !defined(NVTX_MEM_CONTENTS_V1)
/* Guards of NVIDIA's header: what stands here is left out there. */
#define NVTX_MEM_CONTENTS_V1
#define NVTX_MEM_CALLBACK_ID_V1
#define NVTX_EXT_IMPL_MEM_V1

#include "nvtxDetail/nvtxExtTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this extension, and its version. */
#define NVTX_EXT_MODULEID_MEM 1
#define NVTX_EXT_COMPATID_MEM 0x0102

/* ---- Handles, which the tool gives ---- */

typedef struct nvtxMemHeap_v1 nvtxMemHeap_t;
typedef nvtxMemHeap_t *nvtxMemHeapHandle_t;
typedef struct nvtxMemRegion_v1 nvtxMemRegion_t;
typedef nvtxMemRegion_t *nvtxMemRegionHandle_t;
typedef struct nvtxMemPermissions_v1 nvtxMemPermissions_t;
typedef nvtxMemPermissions_t *nvtxMemPermissionsHandle_t;

/* No handle: nothing was registered. Without a tool the functions return NULL. */
#define NVTX_MEM_HEAP_HANDLE_NO_TOOL                                                               \
    (NVTX_REINTERPRET_CAST(nvtxMemHeapHandle_t, NVTX_STATIC_CAST(intptr_t, -1)))
#define NVTX_MEM_REGION_HANDLE_NO_TOOL                                                             \
    (NVTX_REINTERPRET_CAST(nvtxMemRegionHandle_t, NVTX_STATIC_CAST(intptr_t, -1)))
#define NVTX_MEM_PERMISSIONS_HANDLE_NO_TOOL (NVTX_REINTERPRET_CAST(nvtxMemPermissionsHandle_t, -1))

/* All memory of the process as a heap; the permissions of all of it. */
#define NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE   (NVTX_REINTERPRET_CAST(nvtxMemHeapHandle_t, 0))
#define NVTX_MEM_PERMISSIONS_HANDLE_PROCESS_WIDE                                                   \
    (NVTX_REINTERPRET_CAST(nvtxMemPermissionsHandle_t, 0))

/* A region: its address, or its handle. A type beside it says which. */
typedef union nvtxMemRegionRef_t {
    const void *pointer;
    nvtxMemRegionHandle_t handle;
} nvtxMemRegionRef_t;

#define NVTX_MEM_REGION_REF_TYPE_UNKNOWN                        0x0
#define NVTX_MEM_REGION_REF_TYPE_POINTER                        0x1
#define NVTX_MEM_REGION_REF_TYPE_HANDLE                         0x2

/* ---- Heaps ---- */

/* What a heap is for: its memory may be used only where it has regions; or all of it, and regions
 * say how it is laid out. */
#define NVTX_MEM_HEAP_USAGE_UNKNOWN                             0x0
#define NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR                  0x1
#define NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT                         0x2

/* What kind of memory: that which pointers of the process lead to, nvtxMemVirtualRangeDesc_t. */
#define NVTX_MEM_TYPE_UNKNOWN                                   0x0
#define NVTX_MEM_TYPE_VIRTUAL_ADDRESS                           0x1

/* Memory of type NVTX_MEM_TYPE_VIRTUAL_ADDRESS. */
typedef struct nvtxMemVirtualRangeDesc_v1 {
    size_t size; /* in bytes */
    const void *ptr;
} nvtxMemVirtualRangeDesc_v1;
typedef nvtxMemVirtualRangeDesc_v1 nvtxMemVirtualRangeDesc_t;

/* Describes a heap. */
typedef struct nvtxMemHeapDesc_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemHeapDesc_t) */
    uint32_t reserved0;
    uint32_t usage; /* NVTX_MEM_HEAP_USAGE_... */
    uint32_t type;  /* NVTX_MEM_TYPE_...: what typeSpecificDesc is */
    size_t typeSpecificDescSize;
    const void *typeSpecificDesc;
    uint32_t category;
    uint32_t messageType; /* nvtxMessageType_t */
    nvtxMessageValue_t message;
} nvtxMemHeapDesc_v1;
typedef nvtxMemHeapDesc_v1 nvtxMemHeapDesc_t;

/* Registers a heap. */
NVTX_DECLSPEC nvtxMemHeapHandle_t NVTX_API nvtxMemHeapRegister(nvtxDomainHandle_t domain,
                                                               const nvtxMemHeapDesc_t *desc);

/* Ends a heap and its regions; not NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE. */
NVTX_DECLSPEC void NVTX_API nvtxMemHeapUnregister(nvtxDomainHandle_t domain,
                                                  nvtxMemHeapHandle_t heap);

/* Ends all regions of a heap. */
NVTX_DECLSPEC void NVTX_API nvtxMemHeapReset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap);

/* ---- Regions ---- */

/* Regions of one heap to be registered. */
typedef struct nvtxMemRegionsRegisterBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemRegionsRegisterBatch_t) */
    uint32_t regionType;  /* NVTX_MEM_TYPE_... */
    nvtxMemHeapHandle_t heap;
    size_t regionCount;
    size_t regionDescElementSize; /* of nvtxMemVirtualRangeDesc_t, or what the type says */
    const void *regionDescElements;
    nvtxMemRegionHandle_t *regionHandleElementsOut; /* regionCount handles; NULL: regions of
                                                     * virtual addresses are known by these */
} nvtxMemRegionsRegisterBatch_v1;
typedef nvtxMemRegionsRegisterBatch_v1 nvtxMemRegionsRegisterBatch_t;

NVTX_DECLSPEC void NVTX_API nvtxMemRegionsRegister(nvtxDomainHandle_t domain,
                                                   const nvtxMemRegionsRegisterBatch_t *desc);

/* Regions, by their addresses, that get other sizes. */
typedef struct nvtxMemRegionsResizeBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemRegionsResizeBatch_t) */
    uint32_t regionType;  /* NVTX_MEM_TYPE_... */
    size_t regionDescCount;
    size_t regionDescElementSize;
    const void *regionDescElements; /* as above */
} nvtxMemRegionsResizeBatch_v1;
typedef nvtxMemRegionsResizeBatch_v1 nvtxMemRegionsResizeBatch_t;

NVTX_DECLSPEC void NVTX_API nvtxMemRegionsResize(nvtxDomainHandle_t domain,
                                                 const nvtxMemRegionsResizeBatch_t *desc);

/* Regions that end. */
typedef struct nvtxMemRegionsUnregisterBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemRegionsUnregisterBatch_t) */
    uint32_t refType;     /* NVTX_MEM_REGION_REF_TYPE_... */
    size_t refCount;
    size_t refElementSize;
    const nvtxMemRegionRef_t *refElements;
} nvtxMemRegionsUnregisterBatch_v1;
typedef nvtxMemRegionsUnregisterBatch_v1 nvtxMemRegionsUnregisterBatch_t;

NVTX_DECLSPEC void NVTX_API nvtxMemRegionsUnregister(nvtxDomainHandle_t domain,
                                                     const nvtxMemRegionsUnregisterBatch_t *desc);

/* The name of a region. */
typedef struct nvtxMemRegionNameDesc_v1 {
    uint32_t regionRefType; /* NVTX_MEM_REGION_REF_TYPE_... */
    uint32_t nameType;      /* nvtxMessageType_t */
    nvtxMemRegionRef_t region;
    nvtxMessageValue_t name;
    uint32_t category;
    uint32_t reserved0;
} nvtxMemRegionNameDesc_v1;
typedef nvtxMemRegionNameDesc_v1 nvtxMemRegionNameDesc_t;

/* Regions to be named; a later name replaces the earlier one. */
typedef struct nvtxMemRegionsNameBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemRegionsNameBatch_t) */
    uint32_t reserved0;
    size_t regionCount;
    size_t regionElementSize;
    const nvtxMemRegionNameDesc_t *regionElements;
    size_t reserved1;
} nvtxMemRegionsNameBatch_v1;
typedef nvtxMemRegionsNameBatch_v1 nvtxMemRegionsNameBatch_t;

NVTX_DECLSPEC void NVTX_API nvtxMemRegionsName(nvtxDomainHandle_t domain,
                                               const nvtxMemRegionsNameBatch_t *desc);

/* ---- Permissions ---- */

/* What may be done with a region; RESET, alone: what is so where nothing was said. */
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE                  0x0
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ                  0x1
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE                 0x2
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_ATOMIC                0x4
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET                 0x8

/* What new permissions do not take over from those of the process. */
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE                  0x0
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_READ   0x1
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_WRITE  0x2
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_ATOMIC 0x4

/* What bound permissions do not take over; what they are bound to. */
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_NONE                    0x0
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_READ             0x1
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_WRITE            0x2
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_ATOMIC           0x4
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_UNKNOWN                 0x0
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD              0x1
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM             0x2

/* The permissions of one region. */
typedef struct nvtxMemPermissionsAssignRegionDesc_v1 {
    uint32_t flags;         /* NVTX_MEM_PERMISSIONS_REGION_FLAGS_... */
    uint32_t regionRefType; /* NVTX_MEM_REGION_REF_TYPE_... */
    nvtxMemRegionRef_t region;
} nvtxMemPermissionsAssignRegionDesc_v1;
typedef nvtxMemPermissionsAssignRegionDesc_v1 nvtxMemPermissionsAssignRegionDesc_t;

/* Regions that get permissions. */
typedef struct nvtxMemPermissionsAssignBatch_v1 {
    uint16_t extCompatID; /* NVTX_EXT_COMPATID_MEM */
    uint16_t structSize;  /* sizeof(nvtxMemPermissionsAssignBatch_t) */
    uint32_t reserved0;
    nvtxMemPermissionsHandle_t permissions;
    size_t regionCount;
    size_t regionElementSize;
    const nvtxMemPermissionsAssignRegionDesc_t *regionElements;
    size_t reserved1;
} nvtxMemPermissionsAssignBatch_v1;
typedef nvtxMemPermissionsAssignBatch_v1 nvtxMemPermissionsAssignBatch_t;

NVTX_DECLSPEC void NVTX_API nvtxMemPermissionsAssign(nvtxDomainHandle_t domain,
                                                     const nvtxMemPermissionsAssignBatch_t *desc);

/* New permissions, which hold from nvtxMemPermissionsBind() on; their end; what they were anew. */
NVTX_DECLSPEC nvtxMemPermissionsHandle_t NVTX_API
nvtxMemPermissionsCreate(nvtxDomainHandle_t domain, int32_t creationflags);
NVTX_DECLSPEC void NVTX_API nvtxMemPermissionsDestroy(nvtxDomainHandle_t domain,
                                                      nvtxMemPermissionsHandle_t permissions);
NVTX_DECLSPEC void NVTX_API nvtxMemPermissionsReset(nvtxDomainHandle_t domain,
                                                    nvtxMemPermissionsHandle_t permissions);

/* Makes permissions those of the calling thread in a scope, up to Unbind. */
NVTX_DECLSPEC void NVTX_API nvtxMemPermissionsBind(nvtxDomainHandle_t domain,
                                                   nvtxMemPermissionsHandle_t permissions,
                                                   uint32_t bindScope, uint32_t bindFlags);
NVTX_DECLSPEC void NVTX_API nvtxMemPermissionsUnbind(nvtxDomainHandle_t domain, uint32_t bindScope);

/* The side of the tool: the functions' slots, see nvtxExtTypes.h. */
#define NVTX3EXT_CBID_nvtxMemHeapRegister                       0
#define NVTX3EXT_CBID_nvtxMemHeapUnregister                     1
#define NVTX3EXT_CBID_nvtxMemHeapReset                          2
#define NVTX3EXT_CBID_nvtxMemRegionsRegister                    3
#define NVTX3EXT_CBID_nvtxMemRegionsResize                      4
#define NVTX3EXT_CBID_nvtxMemRegionsUnregister                  5
#define NVTX3EXT_CBID_nvtxMemRegionsName                        6
#define NVTX3EXT_CBID_nvtxMemPermissionsAssign                  7
#define NVTX3EXT_CBID_nvtxMemPermissionsCreate                  8
#define NVTX3EXT_CBID_nvtxMemPermissionsDestroy                 9
#define NVTX3EXT_CBID_nvtxMemPermissionsReset                   10
#define NVTX3EXT_CBID_nvtxMemPermissionsBind                    11
#define NVTX3EXT_CBID_nvtxMemPermissionsUnbind                  12
/* of nvToolsExtMemCudaRt.h */
#define NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions      13
#define NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions       14
#define NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess                  15
#define NVTX3EXT_CBID_nvtxMemCudaMarkInitialized                16

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "rfDetail/rf_nvtx_memory.h"

#endif /* NVTX_MEM_CONTENTS_V1 */
