/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: an entry whose value connects events: those with the same value in the same
 * correlation domain belong together. For `semantics` of nvtxPayloadSchemaEntry_t; to be set up
 * like nvtxSemanticsCounter_t.
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef NVTX_SEMANTIC_ID_CORRELATION_V1
#define NVTX_SEMANTIC_ID_CORRELATION_V1   3
#define NVTX_CORRELATION_SEMANTIC_VERSION 1

/* What the event is among those it is connected with. There are no others yet. */
#define NVTX_CORRELATION_ROLE_NONE 0

/* The value of an event that is connected with none. */
#define NVTX_CORRELATION_VALUE_NONE 0

typedef struct nvtxSemanticsCorrelation_v1 {
    struct nvtxSemanticsHeader_v1 header;
    unsigned char correlationDomainUuid[16]; /* the same in all processes and NVTX domains */
    const char *displayName;                 /* of the correlation domain; may be NULL */
    uint64_t role;                           /* NVTX_CORRELATION_ROLE_... */
} nvtxSemanticsCorrelation_t;

#endif /* NVTX_SEMANTIC_ID_CORRELATION_V1 */
