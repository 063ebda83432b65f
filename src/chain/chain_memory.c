/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the memory extension. Heaps, regions and permissions are handles: the program
 * gets one of ours for each region, and the recorder's for the others. Batches with handles are
 * handed on in pieces, whose handles are then each tool's own. A batch that makes no sense goes to
 * the recorder alone, which says so. */
#include <stddef.h>
#include <string.h>

#include "chain/chain.h"

#define MOST 32u /* elements of a piece */

#define EACH(name, call)                                                                           \
    for (unsigned t = 0; t < chain_n_tools; t++) {                                                 \
        name##_impl_fntype function =                                                              \
            (name##_impl_fntype)chain_ext_slot[t][NVTX_EXT_MODULEID_MEM][NVTX3EXT_CBID_##name];    \
        void *in = chain_handle_of(CHAIN_DOMAIN, domain, t);                                       \
        if (function != NULL && (in != NULL || domain == NULL)) {                                  \
            call;                                                                                  \
        }                                                                                          \
    }

/* The recorder alone. */
#define RECORDER(name, call)                                                                       \
    do {                                                                                           \
        name##_impl_fntype function =                                                              \
            (name##_impl_fntype)chain_ext_slot[0][NVTX_EXT_MODULEID_MEM][NVTX3EXT_CBID_##name];    \
        if (function != NULL) {                                                                    \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

typedef nvtxDomainHandle_t domain_t;

/* What is no handle (an address may stand for a heap) is the same for every tool. One of the
 * recorder's is none of another tool's. */
static void *of_others(void *handle, unsigned t)
{
    const bool is_recorders = (uintptr_t)handle > INTPTR_MAX;
    return t > 0 && is_recorders ? NVTX_MEM_HEAP_HANDLE_NO_TOOL : handle;
}

static void *handle_of(enum chain_kind kind, void *handle, unsigned t)
{
    void *its = chain_handle_of(kind, handle, t);
    return its != NULL ? its : of_others(handle, t);
}

/* The same for all, and it is forgotten. */
static void take_handle(enum chain_kind kind, void *handle, void *of[CHAIN_TOOLS])
{
    chain_take_handle(kind, handle, of);
    for (unsigned t = 0; t < CHAIN_TOOLS; t++)
        of[t] = of[t] != NULL ? of[t] : of_others(handle, t);
}

/* ---- Heaps ---- */

/* The registered string of its name is a handle, too. A newer program's structure is larger than
 * the copy. */
static const nvtxMemHeapDesc_t *heap_of(const nvtxMemHeapDesc_t *desc, unsigned t,
                                        nvtxMemHeapDesc_t *its)
{
    if (desc == NULL || t == 0 || desc->messageType != NVTX_MESSAGE_TYPE_REGISTERED)
        return desc;
    *its = *desc;
    its->structSize = sizeof(*its);
    its->message.registered = chain_handle_of(CHAIN_STRING, desc->message.registered, t);
    return its;
}

static nvtxMemHeapHandle_t heap_register(domain_t domain, const nvtxMemHeapDesc_t *desc)
{
    void *of[CHAIN_TOOLS] = {NULL};
    if (desc != NULL && desc->structSize != 0 && desc->structSize < sizeof(*desc)) {
        RECORDER(nvtxMemHeapRegister, of[0] = function(domain, desc));
        return of[0];
    }
    EACH(nvtxMemHeapRegister, nvtxMemHeapDesc_t its; of[t] = function(in, heap_of(desc, t, &its)))
    return chain_add_handle(CHAIN_HEAP, of);
}

static void heap_unregister(domain_t domain, nvtxMemHeapHandle_t heap)
{
    void *of[CHAIN_TOOLS];
    take_handle(CHAIN_HEAP, heap, of);
    EACH(nvtxMemHeapUnregister, function(in, of[t]))
}

static void heap_reset(domain_t domain, nvtxMemHeapHandle_t heap)
{
    EACH(nvtxMemHeapReset, function(in, handle_of(CHAIN_HEAP, heap, t)))
}

/* ---- Regions ---- */

/* Is a batch one of today's version, of elements that can be handed on in pieces? */
static bool can_divide(uint16_t compat_id, uint16_t size, size_t whole_size, const void *elements,
                       size_t element_size, size_t least)
{
    return compat_id == NVTX_EXT_COMPATID_MEM && size == whole_size && elements != NULL &&
           element_size >= least;
}

static size_t piece_of(size_t n, size_t at)
{
    return n - at < MOST ? n - at : MOST;
}

/* A piece whose regions get handles of each tool, of which ours is made. */
static void register_piece(domain_t domain, const nvtxMemRegionsRegisterBatch_t *piece)
{
    nvtxMemRegionHandle_t of[CHAIN_TOOLS][MOST] = {{NULL}};
    EACH(nvtxMemRegionsRegister, nvtxMemRegionsRegisterBatch_t its = *piece;
         its.heap = handle_of(CHAIN_HEAP, piece->heap, t); its.regionHandleElementsOut = of[t];
         function(in, &its))
    for (size_t i = 0; i < piece->regionCount; i++) {
        nvtxRangeId_t ids[CHAIN_TOOLS];
        for (unsigned t = 0; t < CHAIN_TOOLS; t++)
            ids[t] = (uintptr_t)of[t][i];
        piece->regionHandleElementsOut[i] =
            (nvtxMemRegionHandle_t)(uintptr_t)chain_open_region(ids);
    }
}

static void regions_register(domain_t domain, const nvtxMemRegionsRegisterBatch_t *b)
{
    if (b == NULL || !can_divide(b->extCompatID, b->structSize, sizeof(*b), b->regionDescElements,
                                 b->regionDescElementSize, 1)) {
        RECORDER(nvtxMemRegionsRegister, function(domain, b));
        return;
    }
    if (b->regionHandleElementsOut == NULL) {
        EACH(nvtxMemRegionsRegister, nvtxMemRegionsRegisterBatch_t its = *b;
             its.heap = handle_of(CHAIN_HEAP, b->heap, t); function(in, &its))
        return;
    }
    if (b->regionCount > SIZE_MAX / b->regionDescElementSize) {
        RECORDER(nvtxMemRegionsRegister, function(domain, b));
        return;
    }
    for (size_t i = 0; i < b->regionCount; i += MOST) {
        nvtxMemRegionsRegisterBatch_t piece = *b;
        piece.regionCount = piece_of(b->regionCount, i);
        piece.regionDescElements =
            (const char *)b->regionDescElements + i * b->regionDescElementSize;
        piece.regionHandleElementsOut += i;
        register_piece(domain, &piece);
    }
}

static void regions_resize(domain_t domain, const nvtxMemRegionsResizeBatch_t *batch)
{
    EACH(nvtxMemRegionsResize, function(in, batch))
}

/* What a region that a handle names is for tool t. */
static void *region_of(void *handle, unsigned t, bool is_gone)
{
    nvtxRangeId_t of[CHAIN_TOOLS];
    const nvtxRangeId_t id = (uintptr_t)handle;
    const bool is_ours = is_gone ? chain_close_region(id, of) : chain_find_range(id, of);
    return is_ours ? (void *)(uintptr_t)of[t] : of_others(handle, t);
}

/* References of a piece, for each tool. Of those that go the last one forgets them. */
static void translate_refs(nvtxMemRegionRef_t of[CHAIN_TOOLS][MOST], const char *refs, size_t n,
                           size_t size)
{
    for (size_t i = 0; i < n; i++) {
        nvtxMemRegionRef_t ref;
        memcpy(&ref, refs + i * size, sizeof(ref));
        for (unsigned t = 0; t < CHAIN_TOOLS; t++)
            of[t][i].handle = region_of(ref.handle, t, t == CHAIN_TOOLS - 1);
    }
}

static void regions_unregister(domain_t domain, const nvtxMemRegionsUnregisterBatch_t *b)
{
    if (b == NULL ||
        !can_divide(b->extCompatID, b->structSize, sizeof(*b), b->refElements, b->refElementSize,
                    sizeof(nvtxMemRegionRef_t)) ||
        b->refCount > SIZE_MAX / b->refElementSize) {
        RECORDER(nvtxMemRegionsUnregister, function(domain, b));
        return;
    }
    if (b->refType != NVTX_MEM_REGION_REF_TYPE_HANDLE) {
        EACH(nvtxMemRegionsUnregister, function(in, b))
        return;
    }
    for (size_t i = 0; i < b->refCount; i += MOST) {
        nvtxMemRegionRef_t of[CHAIN_TOOLS][MOST];
        const size_t n = piece_of(b->refCount, i);
        translate_refs(of, (const char *)(const void *)b->refElements + i * b->refElementSize, n,
                       b->refElementSize);
        EACH(nvtxMemRegionsUnregister, nvtxMemRegionsUnregisterBatch_t its = *b; its.refCount = n;
             its.refElementSize = sizeof(of[t][0]); its.refElements = of[t]; function(in, &its))
    }
}

/* The registered string of a name is a handle, too. */
static nvtxMemRegionNameDesc_t name_of(const char *from, unsigned t)
{
    nvtxMemRegionNameDesc_t name;
    memcpy(&name, from, sizeof(name));
    if (name.regionRefType == NVTX_MEM_REGION_REF_TYPE_HANDLE)
        name.region.handle = region_of(name.region.handle, t, false);
    if (name.nameType == NVTX_MESSAGE_TYPE_REGISTERED)
        name.name.registered = chain_handle_of(CHAIN_STRING, name.name.registered, t);
    return name;
}

static void regions_name(domain_t domain, const nvtxMemRegionsNameBatch_t *b)
{
    if (b == NULL ||
        !can_divide(b->extCompatID, b->structSize, sizeof(*b), b->regionElements,
                    b->regionElementSize, sizeof(nvtxMemRegionNameDesc_t)) ||
        b->regionCount > SIZE_MAX / b->regionElementSize) {
        RECORDER(nvtxMemRegionsName, function(domain, b));
        return;
    }
    for (size_t i = 0; i < b->regionCount; i += MOST) {
        nvtxMemRegionNameDesc_t names[MOST];
        const char *from = (const char *)(const void *)b->regionElements + i * b->regionElementSize;
        const size_t n = piece_of(b->regionCount, i);
        EACH(nvtxMemRegionsName, nvtxMemRegionsNameBatch_t its = *b;
             for (size_t k = 0; k < n; k++) names[k] = name_of(from + k * b->regionElementSize, t);
             its.regionCount = n; its.regionElementSize = sizeof(names[0]);
             its.regionElements = names; function(in, &its))
    }
}

/* ---- Permissions ---- */

static void permissions_assign(domain_t domain, const nvtxMemPermissionsAssignBatch_t *b)
{
    const size_t least = sizeof(nvtxMemPermissionsAssignRegionDesc_t);
    if (b == NULL ||
        !can_divide(b->extCompatID, b->structSize, sizeof(*b), b->regionElements,
                    b->regionElementSize, least) ||
        b->regionCount > SIZE_MAX / b->regionElementSize) {
        RECORDER(nvtxMemPermissionsAssign, function(domain, b));
        return;
    }
    for (size_t i = 0; i < b->regionCount; i += MOST) {
        nvtxMemPermissionsAssignRegionDesc_t regions[MOST];
        const char *from = (const char *)(const void *)b->regionElements + i * b->regionElementSize;
        const size_t n = piece_of(b->regionCount, i);
        EACH(
            nvtxMemPermissionsAssign, nvtxMemPermissionsAssignBatch_t its = *b;
            for (size_t k = 0; k < n; k++) {
                memcpy(&regions[k], from + k * b->regionElementSize, sizeof(regions[k]));
                if (regions[k].regionRefType == NVTX_MEM_REGION_REF_TYPE_HANDLE)
                    regions[k].region.handle = region_of(regions[k].region.handle, t, false);
            } its.permissions = handle_of(CHAIN_PERMISSIONS, b->permissions, t);
            its.regionCount = n; its.regionElementSize = sizeof(regions[0]);
            its.regionElements = regions; function(in, &its))
    }
}

static nvtxMemPermissionsHandle_t permissions_create(domain_t domain, int32_t flags)
{
    void *of[CHAIN_TOOLS] = {NULL};
    EACH(nvtxMemPermissionsCreate, of[t] = function(in, flags))
    return chain_add_handle(CHAIN_PERMISSIONS, of);
}

static void permissions_destroy(domain_t domain, nvtxMemPermissionsHandle_t p)
{
    void *of[CHAIN_TOOLS];
    take_handle(CHAIN_PERMISSIONS, p, of);
    EACH(nvtxMemPermissionsDestroy, function(in, of[t]))
}

static void permissions_reset(domain_t domain, nvtxMemPermissionsHandle_t p)
{
    EACH(nvtxMemPermissionsReset, function(in, handle_of(CHAIN_PERMISSIONS, p, t)))
}

static void permissions_bind(domain_t domain, nvtxMemPermissionsHandle_t p, uint32_t scope,
                             uint32_t flags)
{
    EACH(nvtxMemPermissionsBind, function(in, handle_of(CHAIN_PERMISSIONS, p, t), scope, flags))
}

static void permissions_unbind(domain_t domain, uint32_t scope)
{
    EACH(nvtxMemPermissionsUnbind, function(in, scope))
}

/* ---- CUDA: nvToolsExtMemCudaRt.h, whose types need CUDA's headers ---- */

typedef nvtxMemPermissionsHandle_t(NVTX_API *nvtxMemCudaGetProcessWidePermissions_impl_fntype)(
    domain_t domain);
typedef nvtxMemPermissionsHandle_t(NVTX_API *nvtxMemCudaGetDeviceWidePermissions_impl_fntype)(
    domain_t domain, int device);
typedef void(NVTX_API *nvtxMemCudaSetPeerAccess_impl_fntype)(domain_t domain,
                                                             nvtxMemPermissionsHandle_t permissions,
                                                             int peer, uint32_t flags);
typedef void(NVTX_API *nvtxMemCudaMarkInitialized_impl_fntype)(domain_t domain, void *stream,
                                                               uint8_t is_of_thread,
                                                               const void *batch);

static nvtxMemPermissionsHandle_t process_permissions(domain_t domain)
{
    void *of[CHAIN_TOOLS] = {NULL};
    EACH(nvtxMemCudaGetProcessWidePermissions, of[t] = function(in))
    return chain_add_handle(CHAIN_PERMISSIONS, of);
}

static nvtxMemPermissionsHandle_t device_permissions(domain_t domain, int device)
{
    void *of[CHAIN_TOOLS] = {NULL};
    EACH(nvtxMemCudaGetDeviceWidePermissions, of[t] = function(in, device))
    return chain_add_handle(CHAIN_PERMISSIONS, of);
}

static void set_peer_access(domain_t domain, nvtxMemPermissionsHandle_t p, int peer, uint32_t flags)
{
    EACH(nvtxMemCudaSetPeerAccess, function(in, handle_of(CHAIN_PERMISSIONS, p, t), peer, flags))
}

static void mark_initialized(domain_t domain, void *stream, uint8_t is_of_thread,
                             const void *batch){
    EACH(nvtxMemCudaMarkInitialized, function(in, stream, is_of_thread, batch))}

/* ---- The table ---- */

#define AT(name, f) [NVTX3EXT_CBID_##name] = (intptr_t)(f)

intptr_t chain_memory_entry(unsigned id)
{
    static const intptr_t memory[CHAIN_SLOTS] = {
        AT(nvtxMemHeapRegister, heap_register),
        AT(nvtxMemHeapUnregister, heap_unregister),
        AT(nvtxMemHeapReset, heap_reset),
        AT(nvtxMemRegionsRegister, regions_register),
        AT(nvtxMemRegionsResize, regions_resize),
        AT(nvtxMemRegionsUnregister, regions_unregister),
        AT(nvtxMemRegionsName, regions_name),
        AT(nvtxMemPermissionsAssign, permissions_assign),
        AT(nvtxMemPermissionsCreate, permissions_create),
        AT(nvtxMemPermissionsDestroy, permissions_destroy),
        AT(nvtxMemPermissionsReset, permissions_reset),
        AT(nvtxMemPermissionsBind, permissions_bind),
        AT(nvtxMemPermissionsUnbind, permissions_unbind),
        AT(nvtxMemCudaGetProcessWidePermissions, process_permissions),
        AT(nvtxMemCudaGetDeviceWidePermissions, device_permissions),
        AT(nvtxMemCudaSetPeerAccess, set_peer_access),
        AT(nvtxMemCudaMarkInitialized, mark_initialized),
    };
    return memory[id];
}
