/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: the scope of an entry's value, if all payloads of the schema have the same.
 * For `semantics` of nvtxPayloadSchemaEntry_t; to be set up like nvtxSemanticsCounter_t.
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef NVTX_SEMANTIC_ID_SCOPE_V1
#define NVTX_SEMANTIC_ID_SCOPE_V1   1
#define NVTX_SCOPE_SEMANTIC_VERSION 1

typedef struct nvtxSemanticsScope_v1 {
    struct nvtxSemanticsHeader_v1 header;
    uint64_t scopeId; /* NVTX_SCOPE_... or a registered scope */
} nvtxSemanticsScope_t;

#endif /* NVTX_SEMANTIC_ID_SCOPE_V1 */
