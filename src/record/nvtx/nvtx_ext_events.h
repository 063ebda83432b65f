/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of events of NVTX's payload and counters extensions, for one kind of run. Included
 * behind nvtx_events.h, by the same files and in the same way. */
#include "record/nvtx/ext_records.h"
#include "record/payload/small_payload.h"

_Static_assert(sizeof(struct rf_payload) == sizeof(nvtxPayloadData_t) &&
                   offsetof(struct rf_payload, schema) == offsetof(nvtxPayloadData_t, schemaId) &&
                   offsetof(struct rf_payload, size) == offsetof(nvtxPayloadData_t, size) &&
                   offsetof(struct rf_payload, bytes) == offsetof(nvtxPayloadData_t, payload),
               "payloads are read where the program has them");

RF_INLINE uint64_t domain_of(nvtxDomainHandle_t domain)
{
    return (uint64_t)(uintptr_t)domain;
}

/* Records that are no ranges, and so are not kept between captures: are they wanted now? */
RF_INLINE bool is_ext_recorded(nvtxDomainHandle_t domain)
{
    if (RF_THIS_RUN != RF_RUN_WHOLE && !rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        return false;
    return !rf_domain_is_excluded(domain_of(domain));
}

/* The same for what has times of its own. What is submitted between captures is counted, since a
 * user would look for it in the capture that has its time: the file of that capture is complete
 * when the capture has ended. */
RF_INLINE bool is_submission_recorded(nvtxDomainHandle_t domain)
{
    if (is_ext_recorded(domain))
        return true;
    if (RF_THIS_RUN != RF_RUN_WHOLE && !rf_domain_is_excluded(domain_of(domain)))
        rf_count_uncaptured();
    return false;
}

RF_INLINE const struct rf_payload *payload_of(const nvtxPayloadData_t *data)
{
    return (const struct rf_payload *)(const void *)data;
}

RF_INLINE struct rf_payloads payloads_of(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data,
                                         size_t n)
{
    return (struct rf_payloads){payload_of(data), n, domain_of(domain)};
}

/* ---- Payloads ---- */

/* An event with any payloads. */
static __attribute__((noinline)) uint64_t emit_payloads(uint32_t type, nvtxDomainHandle_t domain,
                                                        const nvtxPayloadData_t *data, size_t n)
{
    struct rf_attributes a = {.domain = domain_of(domain), .payload_kind = RF_PAYLOADS};
    a.payload = (uint64_t)(uintptr_t)data;
    a.n_payloads = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    return RF_THIS_RUN == RF_RUN_WHOLE ? rf_emit_slow(type, &a)
                                       : rf_emit_any(RF_THIS_RUN, type, &a, NULL);
}

/* The usual event of a whole run is recorded here. */
RF_INLINE uint64_t emit_payload(uint32_t type, nvtxDomainHandle_t domain,
                                const nvtxPayloadData_t *data, size_t n)
{
    const struct rf_attributes a = {.domain = domain_of(domain)};
    uint8_t *end;
    if (RF_THIS_RUN != RF_RUN_WHOLE || n != 1 || !rf_payload_is_small(payload_of(data)))
        return emit_payloads(type, domain, data, n);
    if (rf_domain_is_excluded(a.domain))
        return 0;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL))
        return emit_payloads(type, domain, data, n);
    return rf_write_small(writer, end, rf_ticks_counter(), type, &a, payload_of(data));
}

static void mark_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data, size_t n)
{
    (void)emit_payload(RF_REC_MARK, domain, data, n);
}

static int push_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data, size_t n)
{
    (void)emit_payload(RF_REC_PUSH, domain, data, n);
    return RF_NO_LEVEL;
}

static int pop_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data, size_t n)
{
    const struct rf_payloads payloads = payloads_of(domain, data, n);
    emit_pop(domain_of(domain), &payloads);
    return RF_NO_LEVEL;
}

static nvtxRangeId_t start_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data,
                                   size_t n)
{
    return emit_payload(RF_REC_START, domain, data, n);
}

static void end_payload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t *data,
                        size_t n)
{
    const struct rf_payloads payloads = payloads_of(domain, data, n);
    emit_end(id, &payloads);
}

static void event_submit(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data, size_t n)
{
    if (is_submission_recorded(domain))
        rf_emit_ext_event(domain_of(domain), payloads_of(domain, data, n));
}

static void event_batch_submit(nvtxDomainHandle_t domain, const nvtxEventBatch_t *batch)
{
    if (batch == NULL || !is_submission_recorded(domain))
        return;
    const uint8_t *flex = batch->flexData;
    const uint64_t words[RF_EVENTS_WORDS] = {batch->eventSchemaId, batch->scope, batch->flags,
                                             batch->flexDataOffset, (uint64_t)(uintptr_t)flex};
    struct rf_batch events = {
        batch->eventSchemaId, domain_of(domain), batch->events, batch->size, {.bytes = NULL}};
    if (flex != NULL)
        events.flex = (struct rf_flex){flex + batch->flexDataOffset, batch->flexDataSize,
                                       batch->flexDataOffset};
    rf_emit_ext_events(&events, words);
}

struct rf_callbacks RF_RUN(payload)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxMarkPayload] = RF_CALLBACK(mark_payload),
        [NVTX3EXT_CBID_nvtxRangePushPayload] = RF_CALLBACK(push_payload),
        [NVTX3EXT_CBID_nvtxRangePopPayload] = RF_CALLBACK(pop_payload),
        [NVTX3EXT_CBID_nvtxRangeStartPayload] = RF_CALLBACK(start_payload),
        [NVTX3EXT_CBID_nvtxRangeEndPayload] = RF_CALLBACK(end_payload),
        [NVTX3EXT_CBID_nvtxEventSubmit] = RF_CALLBACK(event_submit),
        [NVTX3EXT_CBID_nvtxEventBatchSubmit] = RF_CALLBACK(event_batch_submit),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

/* ---- Counters ---- */

static void sample_int64(nvtxDomainHandle_t domain, uint64_t counter, int64_t value)
{
    if (is_ext_recorded(domain))
        rf_emit_ext_value(RF_EXT_INT64, domain_of(domain), counter, (uint64_t)value);
}

static void sample_float64(nvtxDomainHandle_t domain, uint64_t counter, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (is_ext_recorded(domain))
        rf_emit_ext_value(RF_EXT_FLOAT64, domain_of(domain), counter, bits);
}

static void sample(nvtxDomainHandle_t domain, uint64_t counter, const void *value, size_t size)
{
    const struct rf_array array = {value, size};
    if (is_ext_recorded(domain))
        rf_emit_ext_arrays(RF_EXT_SAMPLE, domain_of(domain), &counter, 1, &array, 1);
}

static void sample_no_value(nvtxDomainHandle_t domain, uint64_t counter, uint8_t reason)
{
    if (is_ext_recorded(domain))
        rf_emit_ext_value(RF_EXT_NO_VALUE, domain_of(domain), counter, reason);
}

static void batch_submit(nvtxDomainHandle_t domain, const nvtxCounterBatch_t *batch)
{
    if (batch == NULL || !is_submission_recorded(domain))
        return;
    const uint64_t words[] = {batch->counterId, batch->flags};
    const struct rf_array arrays[] = {{batch->counters, batch->countersSize},
                                      {batch->timestamps, batch->timestampsSize}};
    rf_emit_ext_arrays(RF_EXT_BATCH, domain_of(domain), words, 2, arrays,
                       batch->timestamps != NULL ? 2 : 1);
}

struct rf_callbacks RF_RUN(counters)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxCounterSampleInt64] = RF_CALLBACK(sample_int64),
        [NVTX3EXT_CBID_nvtxCounterSampleFloat64] = RF_CALLBACK(sample_float64),
        [NVTX3EXT_CBID_nvtxCounterSample] = RF_CALLBACK(sample),
        [NVTX3EXT_CBID_nvtxCounterSampleNoValue] = RF_CALLBACK(sample_no_value),
        [NVTX3EXT_CBID_nvtxCounterBatchSubmit] = RF_CALLBACK(batch_submit),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
