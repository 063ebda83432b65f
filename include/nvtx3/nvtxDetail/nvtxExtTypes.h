/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, the side of the tool: the extensions (payload, counters, ...). A tool that wants to hear
 * them exports, beside InitializeInjectionNvtx2,
 *
 *     int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);
 *
 * (C linkage; NvtxExtInitializeInjectionFunc_t). It is called once for each extension that a
 * program or shared library uses, at the first call of one of its functions, after the tool has
 * attached to the core. It looks at `moduleId` and stores its functions:
 *
 *     if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID && module->segmentsCount > 0 &&
 *         module->segments[0].slotCount > NVTX3EXT_CBID_nvtxMarkPayload)
 *         module->segments[0].functionSlots[NVTX3EXT_CBID_nvtxMarkPayload] = (intptr_t)my_mark;
 *
 * and returns 1; or 0: then the functions of this extension do nothing. Functions that are not
 * stored do nothing either. A stored function can be called by other threads at once. The slots
 * stay valid as long as the program's code is loaded; `module` and its segments do so during the
 * call.
 *
 * A tool defines NVTX_NO_IMPL before it includes this header or those of the extensions, which have
 * the types of the functions, NAME_impl_fntype.
 */
#include "../nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

/* The name of the guard is NVIDIA's: a file that includes both headers has the types once. */
#ifndef NVTXEXTTYPES_H
#define NVTXEXTTYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/* A function of the program that a tool may call, by its number; 0 if there is none. No extension
 * offers any. */
typedef intptr_t(NVTX_API *NvtxExtGetExportFunction_t)(uint32_t exportFunctionId);

/* Some of the functions of an extension. */
typedef struct nvtxExtModuleSegment_t {
    size_t segmentId;        /* extensions have one segment: 0, or 1 of memory */
    size_t slotCount;        /* entries in functionSlots */
    intptr_t *functionSlots; /* [NVTX3EXT_CBID_...]: a function, to be stored by the tool */
} nvtxExtModuleSegment_t;

/* An extension as one program or shared library was compiled with it. */
typedef struct nvtxExtModuleInfo_t {
    uint16_t nvtxVer;    /* NVTX_VERSION */
    uint16_t structSize; /* sizeof(nvtxExtModuleInfo_t) */
    uint16_t moduleId;   /* which: NVTX_EXT_PAYLOAD_MODULEID, ... */
    uint16_t compatId;   /* its version: NVTX_EXT_PAYLOAD_COMPATID, ... */
    size_t segmentsCount;
    nvtxExtModuleSegment_t *segments;
    NvtxExtGetExportFunction_t getExportFunction; /* may be NULL */
    const void *extInfo; /* payload: nvtxPayloadEntryTypeInfo_t of C's types; else NULL */
} nvtxExtModuleInfo_t;

/* The tool's entry point, see above. */
typedef int(NVTX_API *NvtxExtInitializeInjectionFunc_t)(nvtxExtModuleInfo_t *moduleInfo);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTXEXTTYPES_H */
