/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: what the values of a counter mean: their unit, what they count from, what
 * lies between two samples. For `semantics` of nvtxCounterAttr_t and of a group's entries:
 *
 *     nvtxSemanticsCounter_t bytes = {0};
 *     bytes.header.structSize = sizeof bytes;
 *     bytes.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
 *     bytes.header.version = NVTX_COUNTER_SEMANTIC_VERSION;
 *     bytes.flags = NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE |
 *                   NVTX_COUNTER_FLAG_INTERPOLATION_UNTIL_NEXT;
 *     bytes.unit = "bytes";
 *     bytes.unitScaleNumerator = 1;
 *     bytes.unitScaleDenominator = 1;
 *     queue.semantics = &bytes.header;
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef NVTX_SEMANTIC_ID_COUNTERS_V1
#define NVTX_SEMANTIC_ID_COUNTERS_V1  5
#define NVTX_COUNTER_SEMANTIC_VERSION 2

#define NVTX_COUNTER_FLAGS_NONE 0

/* An integer stands for a fraction of the largest one of its type: 0 to 1, signed -1 to 1. */
#define NVTX_COUNTER_FLAG_NORMALIZE (1 << 1)

/* `min` and `max` are set: values are to be expected between them. */
#define NVTX_COUNTER_FLAG_LIMIT_MIN (1 << 2)
#define NVTX_COUNTER_FLAG_LIMIT_MAX (1 << 3)
#define NVTX_COUNTER_FLAG_LIMITS    (NVTX_COUNTER_FLAG_LIMIT_MIN | NVTX_COUNTER_FLAG_LIMIT_MAX)

/* One of these, a number in bits 4 and 5: a value is the quantity; its change since the sample
 * before; its change since the beginning. The last name is the mask of the bits. */
#define NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE          (1 << 4)
#define NVTX_COUNTER_FLAG_VALUETYPE_DELTA             (2 << 4)
#define NVTX_COUNTER_FLAG_VALUETYPE_DELTA_SINCE_START (3 << 4)
#define NVTX_COUNTER_FLAG_VALUETYPES                  (3 << 4)

/* One of these, a number in bits 8 to 10: a value holds at its moment; back to the sample before;
 * up to the next one; and between two samples it changes evenly. The last name is the mask. */
#define NVTX_COUNTER_FLAG_INTERPOLATION_POINT      (1 << 8)
#define NVTX_COUNTER_FLAG_INTERPOLATION_SINCE_LAST (2 << 8)
#define NVTX_COUNTER_FLAG_INTERPOLATION_UNTIL_NEXT (3 << 8)
#define NVTX_COUNTER_FLAG_INTERPOLATION_LINEAR     (4 << 8)
#define NVTX_COUNTER_FLAG_INTERPOLATIONS           (7 << 8)

/* Which member of the limits is set. */
#define NVTX_COUNTER_LIMIT_UNDEFINED 0
#define NVTX_COUNTER_LIMIT_I64       1
#define NVTX_COUNTER_LIMIT_U64       2
#define NVTX_COUNTER_LIMIT_F64       3

typedef union {
    int64_t i64;
    uint64_t u64;
    double f64;
} nvtxCounterLimit_t;

typedef struct nvtxSemanticsCounter_v1 {
    struct nvtxSemanticsHeader_v1 header;
    uint64_t flags;   /* NVTX_COUNTER_FLAG_... */
    const char *unit; /* of a value times unitScaleNumerator / unitScaleDenominator; may be NULL */
    uint64_t unitScaleNumerator;   /* 1 if there is no scale */
    uint64_t unitScaleDenominator; /* likewise */
    int64_t limitType;             /* NVTX_COUNTER_LIMIT_... */
    nvtxCounterLimit_t min;
    nvtxCounterLimit_t max;
} nvtxSemanticsCounter_t;

#endif /* NVTX_SEMANTIC_ID_COUNTERS_V1 */
