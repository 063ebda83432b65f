/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: counters. Values that change over time, alone or several together:
 *
 *     nvtxCounterAttr_t queue = {0};
 *     queue.structSize = sizeof queue;
 *     queue.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
 *     queue.name = "length of the queue";
 *     queue.scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS;
 *     id = nvtxCounterRegister(domain, &queue);
 *     ...
 *     nvtxCounterSampleInt64(domain, id, length);
 *
 * nvToolsExtPayload.h says what holds for all extensions, and for ids.
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtCounters.h>
#elif !defined(NVTX_COUNTER_TYPEDEFS_V1)
/* Guards of NVIDIA's header: what stands here is left out there. */
#define NVTX_COUNTER_IDS_V1
#define NVTX_COUNTER_SAMPLES_V1
#define NVTX_COUNTER_BATCH_FLAGS_V1
#define NVTX_COUNTER_TYPEDEFS_V1
#define NVTX_COUNTER_API_FUNCTIONS_V1
#define NVTX_COUNTER_CALLBACK_ID_V1
#define NVTX_EXT_IMPL_COUNTERS_V1

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this extension, and its version. */
#define NVTX_EXT_COUNTERS_MODULEID 4
#define NVTX_EXT_COUNTERS_COMPATID 0x0102

#define NVTX_COUNTER_ID_NONE                            0
#define NVTX_COUNTER_ID_STATIC_START                    (1 << 24)
#define NVTX_COUNTER_ID_DYNAMIC_START                   (NVTX_STATIC_CAST(uint64_t, 1) << 32)

/* Why a sample has no value: it is zero; it is what it was before; it could not be had. */
#define NVTX_COUNTER_SAMPLE_ZERO                        0
#define NVTX_COUNTER_SAMPLE_UNCHANGED                   1
#define NVTX_COUNTER_SAMPLE_UNAVAILABLE                 2

/* The times of a batch are two numbers: the first or the last sample's time, and the time from each
 * sample to the next. To be combined with NVTX_BATCH_FLAG_... */
#define NVTX_COUNTER_BATCH_FLAG_BEGINTIME_INTERVAL_PAIR (NVTX_STATIC_CAST(uint64_t, 1) << 32)
#define NVTX_COUNTER_BATCH_FLAG_ENDTIME_INTERVAL_PAIR   (NVTX_STATIC_CAST(uint64_t, 2) << 32)

/* Describes a counter, or a group of counters that are sampled together. */
typedef struct nvtxCounterAttr_v1 {
    size_t structSize; /* sizeof(nvtxCounterAttr_t) */

    /* the type of a value, NVTX_PAYLOAD_ENTRY_TYPE_...; or of a group the schema, with
     * NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP */
    uint64_t schemaId;

    const char *name;
    const char *description; /* in a sentence; may be NULL */
    uint64_t scopeId;        /* what is counted: NVTX_SCOPE_... or a registered scope */

    /* nvtxSemanticsCounter_t, nvtxSemanticsTime_t, for all counters of a group; may be NULL */
    const nvtxSemanticsHeader_t *semantics;

    uint64_t counterId; /* chosen by the program, or NVTX_COUNTER_ID_NONE */
} nvtxCounterAttr_t;

/* Many samples of a counter or of a group. */
typedef struct nvtxCounterBatch_v1 {
    uint64_t counterId;
    const void *counters; /* the samples, each as long as its type or schema says */
    size_t countersSize;  /* of all samples, in bytes */
    uint64_t flags;       /* NVTX_BATCH_FLAG_..., NVTX_COUNTER_BATCH_FLAG_... */
    const int64_t
        *timestamps;       /* one for each sample, or see the flags; NULL: the samples have them */
    size_t timestampsSize; /* of all timestamps, in bytes */
} nvtxCounterBatch_t;

/* Registers a counter or a group in `domain`. Returns its id. */
NVTX_DECLSPEC uint64_t NVTX_API nvtxCounterRegister(nvtxDomainHandle_t hDomain,
                                                    const nvtxCounterAttr_t *attr);

/* Samples a counter at this moment. */
NVTX_DECLSPEC void NVTX_API nvtxCounterSampleInt64(nvtxDomainHandle_t hDomain, uint64_t counterId,
                                                   int64_t value);
NVTX_DECLSPEC void NVTX_API nvtxCounterSampleFloat64(nvtxDomainHandle_t hDomain, uint64_t counterId,
                                                     double value);

/* The same for a counter of any type and for groups: `size` bytes as the schema describes them. */
NVTX_DECLSPEC void NVTX_API nvtxCounterSample(nvtxDomainHandle_t hDomain, uint64_t counterId,
                                              const void *value, size_t size);

/* Says that there is no value at this moment, and why: NVTX_COUNTER_SAMPLE_... */
NVTX_DECLSPEC void NVTX_API nvtxCounterSampleNoValue(nvtxDomainHandle_t hDomain, uint64_t counterId,
                                                     uint8_t reason);

/* Submits samples that were taken before. */
NVTX_DECLSPEC void NVTX_API nvtxCounterBatchSubmit(nvtxDomainHandle_t hDomain,
                                                   const nvtxCounterBatch_t *counterData);

/* The side of the tool: the functions' slots, see nvtxExtTypes.h. */
#define NVTX3EXT_CBID_nvtxCounterRegister               0
#define NVTX3EXT_CBID_nvtxCounterSampleInt64            1
#define NVTX3EXT_CBID_nvtxCounterSampleFloat64          2
#define NVTX3EXT_CBID_nvtxCounterSample                 3
#define NVTX3EXT_CBID_nvtxCounterSampleNoValue          4
#define NVTX3EXT_CBID_nvtxCounterBatchSubmit            5

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "rfDetail/rf_nvtx_counters.h"

#endif /* NVTX_COUNTER_TYPEDEFS_V1 */
