/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas, enums, scopes and counters. What is not complete is refused: its id is 0. */
#include "record/nvtx/ext_defs.h"

#include "record/clock.h"
#include "record/names/defs.h"
#include "record/names/domain_handles.h"
#include "record/nvtx/def_structs.h"
#include "record/nvtx/read_sized.h"
#include "record/payload/schema_table.h"
#include "record/process/process.h"

/* of schemas, enums, scopes and counters alike */
#define STATIC_START  (1ULL << 24)
#define DYNAMIC_START (1ULL << 32)

static uint64_t number_of(nvtxDomainHandle_t domain)
{
    return (uint64_t)(uintptr_t)domain;
}

static bool can_define(uint64_t domain)
{
    return !rf_domain_is_excluded(domain) && rf_process_can_define();
}

/* The id that the program chose, or the next one of the process. */
static uint64_t id_of(uint64_t chosen)
{
    if (chosen >= STATIC_START && chosen < DYNAMIC_START)
        return chosen;
    return DYNAMIC_START + __atomic_fetch_add(&rf_recorder.n_ext_ids, 1, __ATOMIC_RELAXED);
}

static void add(enum rf_nvtx_def kind, uint64_t domain, uint64_t id, const struct rf_def_text *text)
{
    const char *copy =
        rf_defs_add(RF_REC_NVTX_DEF, kind, domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain, id,
                    0, (const char *)text->data, text->size);
    if (kind == RF_NVTX_DEF_SCHEMA || kind == RF_NVTX_DEF_ENUM)
        rf_schemas_add(copy);
}

/* ---- Each kind of definition: its text from a copy of the program's structure ---- */

/* Makes a definition; returns its id, 0: it could not be made. */
static uint64_t define(enum rf_nvtx_def kind, uint64_t domain, uint64_t chosen,
                       rf_put_function *put, const void *attributes)
{
    struct rf_def_text text;
    uint64_t id = 0;
    rf_def_text_measure(&text);
    put(&text, attributes);
    if (!rf_def_text_fill(&text))
        return 0;
    put(&text, attributes);
    if (rf_def_text_is_whole(&text)) {
        id = id_of(chosen);
        add(kind, domain, id, &text);
    }
    rf_def_text_release(&text);
    return id;
}

/* ---- Callbacks ---- */

static uint64_t register_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *given)
{
    nvtxPayloadSchemaAttr_t a;
    if (!can_define(number_of(domain)) || !rf_read_schema(&a, given))
        return 0;
    return define(RF_NVTX_DEF_SCHEMA, number_of(domain), a.schemaId, rf_put_schema, &a);
}

static uint64_t register_enum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t *given)
{
    nvtxPayloadEnumAttr_t a;
    if (!can_define(number_of(domain)) || !rf_read_enum(&a, given))
        return 0;
    return define(RF_NVTX_DEF_ENUM, number_of(domain), a.schemaId, rf_put_enum, &a);
}

static uint64_t register_scope(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *given)
{
    nvtxScopeAttr_t a;
    if (given == NULL || !can_define(number_of(domain)))
        return 0;
    rf_read_sized(&a, sizeof(a), given, given->structSize);
    return define(RF_NVTX_DEF_SCOPE, number_of(domain), a.scopeId, rf_put_scope, &a);
}

static uint64_t register_counter(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *given)
{
    nvtxCounterAttr_t a;
    if (given == NULL || !can_define(number_of(domain)))
        return 0;
    rf_read_sized(&a, sizeof(a), given, given->structSize);
    return define(RF_NVTX_DEF_COUNTER, number_of(domain), a.counterId, rf_put_counter, &a);
}

/* ---- Time domains ---- */

static uint64_t register_time_domain(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *given)
{
    if (given == NULL || !can_define(number_of(domain)))
        return 0;
    return define(RF_NVTX_DEF_TIME_DOMAIN, number_of(domain), given->timeDomainId,
                  rf_put_time_domain, given);
}

/* Relations have no ids. */
static void relate(nvtxDomainHandle_t domain, struct rf_time_relation relation)
{
    if (can_define(number_of(domain)))
        (void)define(RF_NVTX_DEF_TIME_RELATION, number_of(domain), STATIC_START,
                     rf_put_time_relation, &relation);
}

static void sync_point_table(nvtxDomainHandle_t domain, uint64_t from, uint64_t to,
                             const nvtxSyncPoint_t *points, size_t n)
{
    while (points != NULL && n > 0) {
        const uint32_t part = n < RF_MOST_SYNC_POINTS ? (uint32_t)n : RF_MOST_SYNC_POINTS;
        relate(domain, (struct rf_time_relation){
                           .from = from, .to = to, .n_points = part, .point = points});
        points += part;
        n -= part;
    }
}

static void sync_point(nvtxDomainHandle_t domain, uint64_t from, uint64_t to, int64_t from_time,
                       int64_t to_time)
{
    const nvtxSyncPoint_t point = {from_time, to_time};
    sync_point_table(domain, from, to, &point, 1);
}

static void conversion_factor(nvtxDomainHandle_t domain, uint64_t from, uint64_t to, double slope,
                              int64_t from_time, int64_t to_time)
{
    const nvtxSyncPoint_t point = {from_time, to_time};
    relate(domain, (struct rf_time_relation){
                       .from = from, .to = to, .slope = slope, .n_points = 1, .point = &point});
}

/* The clock is read once, now: it is not asked again when the program may no longer expect that. */
static void timer_source_with_data(nvtxDomainHandle_t domain, uint64_t id, uint64_t flags,
                                   int64_t (*read)(void *data), void *data)
{
    (void)flags;
    if (read == NULL || !can_define(number_of(domain)))
        return;
    const uint64_t before = rf_now();
    const int64_t time = read(data);
    sync_point(domain, id, NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED, time,
               (int64_t)(before + (rf_now() - before) / 2));
}

static void timer_source(nvtxDomainHandle_t domain, uint64_t id, uint64_t flags,
                         int64_t (*read)(void))
{
    (void)flags;
    if (read == NULL || !can_define(number_of(domain)))
        return;
    const uint64_t before = rf_now();
    const int64_t time = read();
    sync_point(domain, id, NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED, time,
               (int64_t)(before + (rf_now() - before) / 2));
}

static uint8_t is_domain_enabled(nvtxDomainHandle_t domain)
{
    return !rf_domain_is_excluded(number_of(domain));
}

static int64_t timestamp_get(void)
{
    return (int64_t)rf_now();
}

struct rf_callbacks rf_ext_payload_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = RF_CALLBACK(register_schema),
        [NVTX3EXT_CBID_nvtxPayloadEnumRegister] = RF_CALLBACK(register_enum),
        [NVTX3EXT_CBID_nvtxDomainIsEnabled] = RF_CALLBACK(is_domain_enabled),
        [NVTX3EXT_CBID_nvtxTimestampGet] = RF_CALLBACK(timestamp_get),
        [NVTX3EXT_CBID_nvtxScopeRegister] = RF_CALLBACK(register_scope),
        [NVTX3EXT_CBID_nvtxTimeDomainRegister] = RF_CALLBACK(register_time_domain),
        [NVTX3EXT_CBID_nvtxTimerSource] = RF_CALLBACK(timer_source),
        [NVTX3EXT_CBID_nvtxTimerSourceWithData] = RF_CALLBACK(timer_source_with_data),
        [NVTX3EXT_CBID_nvtxTimeSyncPoint] = RF_CALLBACK(sync_point),
        [NVTX3EXT_CBID_nvtxTimeSyncPointTable] = RF_CALLBACK(sync_point_table),
        [NVTX3EXT_CBID_nvtxTimestampConversionFactor] = RF_CALLBACK(conversion_factor),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

struct rf_callbacks rf_ext_counters_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxCounterRegister] = RF_CALLBACK(register_counter),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

/* ---- Sizes of C's types ---- */

void rf_ext_define_type_sizes(const nvtxPayloadEntryTypeInfo_t *info)
{
    enum { MOST_TYPES = 64 };
    struct rf_type_size sizes[MOST_TYPES] = {0};
    /* the first entry: how many there are, and the size of each */
    if (info == NULL || info->align < sizeof(*info) || !rf_process_can_define())
        return;
    uint32_t n = info->size < MOST_TYPES ? info->size : MOST_TYPES;
    uint64_t hash = n;
    for (uint32_t i = 1; i < n; i++) {
        const nvtxPayloadEntryTypeInfo_t *type =
            (const void *)((const char *)info + i * info->align);
        sizes[i] = (struct rf_type_size){type->size, type->align};
        hash = (hash ^ (type->size | (uint64_t)type->align << 16)) * 0xff51afd7ed558ccdULL;
        hash ^= hash >> 32;
    }
    /* most copies of NVTX in a program say the same */
    if (__atomic_exchange_n(&rf_recorder.type_sizes, hash, __ATOMIC_RELAXED) != hash)
        (void)rf_defs_add(RF_REC_NVTX_DEF, RF_NVTX_DEF_TYPE_SIZES, 0, 0, 0, (const char *)sizes,
                          n * sizeof(sizes[0]));
}
