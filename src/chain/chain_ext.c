/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the extensions for payloads and counters. Ids that the program leaves to the
 * tool are chosen here, from those that a program may choose, so that every tool has the same. */
#include <stddef.h>
#include <string.h>

#include "chain/chain.h"

#define EACH(module, name, call)                                                                   \
    for (unsigned t = 0; t < chain_n_tools; t++) {                                                 \
        name##_impl_fntype function =                                                              \
            (name##_impl_fntype)chain_ext_slot[t][module][NVTX3EXT_CBID_##name];                   \
        void *in = chain_handle_of(CHAIN_DOMAIN, domain, t);                                       \
        if (function != NULL && (in != NULL || domain == NULL)) {                                  \
            call;                                                                                  \
        }                                                                                          \
    }
#define PAYLOAD(name, call)  EACH(NVTX_EXT_PAYLOAD_MODULEID, name, call)
#define COUNTERS(name, call) EACH(NVTX_EXT_COUNTERS_MODULEID, name, call)

typedef nvtxDomainHandle_t domain_t;

/* ---- Definitions ---- */

/* What the program has of a structure that names its size: an older one has fewer fields, a newer
 * one more. The tools are told the size of the copy. size 0: it was forgotten. Of a pointer that it
 * ends in nothing is read. */
static void copy_sized(void *to, size_t whole, const void *given, size_t size)
{
    memset(to, 0, whole);
    memcpy(to, given, size == 0 || size > whole ? whole : size & ~(sizeof(void *) - 1));
    memcpy(to, &whole, sizeof(whole)); /* structSize comes first */
}

/* Only the fields that fieldMask names are read: the others need not be there. */
#define FIELD(mask, field)                                                                         \
    if ((given->fieldMask & (uint64_t)(mask)) != 0)                                                \
        to.field = given->field;

static nvtxPayloadSchemaAttr_t copy_schema(const nvtxPayloadSchemaAttr_t *given)
{
    nvtxPayloadSchemaAttr_t to = {.fieldMask = given->fieldMask};
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME, name)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE, type)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS, flags)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES, entries)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES, numEntries)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE, payloadStaticSize)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT, packAlign)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID, schemaId)
    FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_EXTENSION, extension)
    return to;
}

static nvtxPayloadEnumAttr_t copy_enum(const nvtxPayloadEnumAttr_t *given)
{
    nvtxPayloadEnumAttr_t to = {.fieldMask = given->fieldMask};
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME, name)
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES, entries)
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES, numEntries)
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE, sizeOfEnum)
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID, schemaId)
    FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_EXTENSION, extension)
    return to;
}

/* Both have a mask. */
#define DEFINE_MASKED(function_name, name, type, copy, has_id)                                     \
    static uint64_t function_name(domain_t domain, const type *given)                              \
    {                                                                                              \
        type attributes = {.fieldMask = 0};                                                        \
        uint64_t id[CHAIN_TOOLS] = {0};                                                            \
        if (given != NULL) {                                                                       \
            attributes = copy(given);                                                              \
            if ((given->fieldMask & (uint64_t)(has_id)) == 0)                                      \
                attributes.schemaId = chain_new_id();                                              \
            attributes.fieldMask |= (uint64_t)(has_id);                                            \
        }                                                                                          \
        PAYLOAD(name, id[t] = function(in, given != NULL ? &attributes : NULL))                    \
        return id[0] != 0 ? id[0] : attributes.schemaId;                                           \
    }

DEFINE_MASKED(register_schema, nvtxPayloadSchemaRegister, nvtxPayloadSchemaAttr_t, copy_schema,
              NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID)
DEFINE_MASKED(register_enum, nvtxPayloadEnumRegister, nvtxPayloadEnumAttr_t, copy_enum,
              NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID)

/* The others have structures without a mask, whose id is 0 where it is not chosen. Those that name
 * their size are copied by it. */
#define DEFINE(function_name, caller, name, type, field, copy)                                     \
    static uint64_t function_name(domain_t domain, const type *given)                              \
    {                                                                                              \
        type attributes;                                                                           \
        uint64_t id[CHAIN_TOOLS] = {0};                                                            \
        if (given != NULL) {                                                                       \
            copy;                                                                                  \
            if (attributes.field == 0)                                                             \
                attributes.field = chain_new_id();                                                 \
        }                                                                                          \
        caller(name, id[t] = function(in, given != NULL ? &attributes : NULL)) return id[0];       \
    }

#define SIZED copy_sized(&attributes, sizeof(attributes), given, given->structSize)

DEFINE(register_scope, PAYLOAD, nvtxScopeRegister, nvtxScopeAttr_t, scopeId, SIZED)
DEFINE(register_counter, COUNTERS, nvtxCounterRegister, nvtxCounterAttr_t, counterId, SIZED)
DEFINE(register_time_domain, PAYLOAD, nvtxTimeDomainRegister, nvtxTimeDomainAttr_t, timeDomainId,
       attributes = *given)

/* ---- Events ---- */

static void mark(domain_t domain, const nvtxPayloadData_t *data, size_t n)
{
    PAYLOAD(nvtxMarkPayload, function(in, data, n))
}

static int push(domain_t domain, const nvtxPayloadData_t *data, size_t n)
{
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    PAYLOAD(nvtxRangePushPayload, level[t] = function(in, data, n))
    return level[0];
}

static int pop(domain_t domain, const nvtxPayloadData_t *data, size_t n)
{
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    PAYLOAD(nvtxRangePopPayload, level[t] = function(in, data, n))
    return level[0];
}

static nvtxRangeId_t start(domain_t domain, const nvtxPayloadData_t *data, size_t n)
{
    nvtxRangeId_t of[CHAIN_TOOLS] = CHAIN_NO_IDS;
    PAYLOAD(nvtxRangeStartPayload, of[t] = function(in, data, n))
    return chain_open_range(of);
}

static void end(domain_t domain, nvtxRangeId_t id, const nvtxPayloadData_t *data, size_t n)
{
    nvtxRangeId_t of[CHAIN_TOOLS] = CHAIN_NO_IDS;
    if (!chain_close_range(id, of))
        of[0] = id;
    PAYLOAD(nvtxRangeEndPayload,
            if (t == 0 || of[t] != CHAIN_NOT_HEARD) function(in, of[t], data, n))
}

static uint8_t is_enabled(domain_t domain)
{
    uint8_t any = 0;
    PAYLOAD(nvtxDomainIsEnabled, any |= function(in))
    return any;
}

static int64_t timestamp(void)
{
    const domain_t domain = NULL;
    int64_t ns[CHAIN_TOOLS] = {0};
    PAYLOAD(nvtxTimestampGet, ns[t] = function())
    return ns[0];
}

static void submit_event(domain_t domain, const nvtxPayloadData_t *data, size_t n)
{
    PAYLOAD(nvtxEventSubmit, function(in, data, n))
}

static void submit_batch(domain_t domain, const nvtxEventBatch_t *batch)
{
    PAYLOAD(nvtxEventBatchSubmit, function(in, batch))
}

/* ---- Time ---- */

static void timer(domain_t domain, uint64_t id, uint64_t flags, int64_t (*provider)(void))
{
    PAYLOAD(nvtxTimerSource, function(in, id, flags, provider))
}

static void timer_with_data(domain_t domain, uint64_t id, uint64_t flags,
                            int64_t (*provider)(void *), void *data)
{
    PAYLOAD(nvtxTimerSourceWithData, function(in, id, flags, provider, data))
}

static void sync_point(domain_t domain, uint64_t id1, uint64_t id2, int64_t time1, int64_t time2)
{
    PAYLOAD(nvtxTimeSyncPoint, function(in, id1, id2, time1, time2))
}

static void sync_table(domain_t domain, uint64_t from, uint64_t to, const nvtxSyncPoint_t *points,
                       size_t n)
{
    PAYLOAD(nvtxTimeSyncPointTable, function(in, from, to, points, n))
}

static void convert(domain_t domain, uint64_t from, uint64_t to, double slope, int64_t time_from,
                    int64_t time_to)
{
    PAYLOAD(nvtxTimestampConversionFactor, function(in, from, to, slope, time_from, time_to))
}

/* ---- Counters ---- */

static void sample_int(domain_t domain, uint64_t id, int64_t value)
{
    COUNTERS(nvtxCounterSampleInt64, function(in, id, value))
}

static void sample_float(domain_t domain, uint64_t id, double value)
{
    COUNTERS(nvtxCounterSampleFloat64, function(in, id, value))
}

static void sample(domain_t domain, uint64_t id, const void *value, size_t size)
{
    COUNTERS(nvtxCounterSample, function(in, id, value, size))
}

static void sample_none(domain_t domain, uint64_t id, uint8_t reason)
{
    COUNTERS(nvtxCounterSampleNoValue, function(in, id, reason))
}

static void sample_batch(domain_t domain, const nvtxCounterBatch_t *batch)
{
    COUNTERS(nvtxCounterBatchSubmit, function(in, batch))
}

/* ---- The table ---- */

#define AT(name, f) [NVTX3EXT_CBID_##name] = (intptr_t)(f)

/* Other extensions are the recorder's alone. */
intptr_t chain_ext_entry(unsigned module, unsigned id)
{
    static const intptr_t payload[CHAIN_SLOTS] = {
        AT(nvtxPayloadSchemaRegister, register_schema),
        AT(nvtxPayloadEnumRegister, register_enum),
        AT(nvtxMarkPayload, mark),
        AT(nvtxRangePushPayload, push),
        AT(nvtxRangePopPayload, pop),
        AT(nvtxRangeStartPayload, start),
        AT(nvtxRangeEndPayload, end),
        AT(nvtxDomainIsEnabled, is_enabled),
        AT(nvtxTimestampGet, timestamp),
        AT(nvtxTimeDomainRegister, register_time_domain),
        AT(nvtxTimerSource, timer),
        AT(nvtxTimerSourceWithData, timer_with_data),
        AT(nvtxScopeRegister, register_scope),
        AT(nvtxTimeSyncPoint, sync_point),
        AT(nvtxTimeSyncPointTable, sync_table),
        AT(nvtxTimestampConversionFactor, convert),
        AT(nvtxEventSubmit, submit_event),
        AT(nvtxEventBatchSubmit, submit_batch),
    };
    static const intptr_t counters[CHAIN_SLOTS] = {
        AT(nvtxCounterRegister, register_counter),  AT(nvtxCounterSampleInt64, sample_int),
        AT(nvtxCounterSampleFloat64, sample_float), AT(nvtxCounterSample, sample),
        AT(nvtxCounterSampleNoValue, sample_none),  AT(nvtxCounterBatchSubmit, sample_batch),
    };
    return module == NVTX_EXT_PAYLOAD_MODULEID    ? payload[id]
           : module == NVTX_EXT_COUNTERS_MODULEID ? counters[id]
           : module == NVTX_EXT_MODULEID_MEM      ? chain_memory_entry(id)
                                                  : chain_ext_slot[0][module][id];
}
