/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: the clock of an entry that is a time, or of a counter's timestamps. For
 * `semantics` of nvtxPayloadSchemaEntry_t and nvtxCounterAttr_t; to be set up like
 * nvtxSemanticsCounter_t.
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef NVTX_SEMANTIC_ID_TIME_V1
#define NVTX_SEMANTIC_ID_TIME_V1   2
#define NVTX_TIME_SEMANTIC_VERSION 1

typedef struct nvtxSemanticsTime_v1 {
    struct nvtxSemanticsHeader_v1 header;
    uint64_t timeDomainId; /* NVTX_TIMESTAMP_TYPE_... or a registered time domain */
} nvtxSemanticsTime_t;

#endif /* NVTX_SEMANTIC_ID_TIME_V1 */
