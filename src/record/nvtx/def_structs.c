/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/def_structs.h"

#define MOST_ENTRIES 65536u

/* Only the fields that fieldMask names are read: the others are not initialised. */
#define RF_FIELD(mask, field) ((given->fieldMask & (uint64_t)(mask)) != 0 ? given->field : 0)

bool rf_read_schema(nvtxPayloadSchemaAttr_t *to, const nvtxPayloadSchemaAttr_t *given)
{
    if (given == NULL)
        return false;
    *to = (nvtxPayloadSchemaAttr_t){
        .name = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME, name),
        .type = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE, type),
        .flags = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS, flags),
        .entries = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES, entries),
        .numEntries = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES, numEntries),
        .payloadStaticSize =
            RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE, payloadStaticSize),
        .packAlign = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT, packAlign),
        .schemaId = RF_FIELD(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID, schemaId)};
    return to->type != 0 && to->type <= UINT32_MAX && to->entries != NULL && to->numEntries != 0 &&
           to->numEntries <= MOST_ENTRIES;
}

bool rf_read_enum(nvtxPayloadEnumAttr_t *to, const nvtxPayloadEnumAttr_t *given)
{
    if (given == NULL)
        return false;
    *to = (nvtxPayloadEnumAttr_t){
        .name = RF_FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME, name),
        .entries = RF_FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES, entries),
        .numEntries = RF_FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES, numEntries),
        .sizeOfEnum = RF_FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE, sizeOfEnum),
        .schemaId = RF_FIELD(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID, schemaId)};
    return to->entries != NULL && to->numEntries != 0 && to->numEntries <= MOST_ENTRIES;
}

static void put_schema_entry(struct rf_def_text *text, uint32_t at,
                             const nvtxPayloadSchemaEntry_t *entry)
{
    const struct rf_schema_entry to = {.flags = entry->flags,
                                       .type = entry->type,
                                       .detail = entry->arrayOrUnionDetail,
                                       .offset = entry->offset,
                                       .name = rf_def_text_name(text, entry->name),
                                       .description = rf_def_text_name(text, entry->description),
                                       .semantics = rf_def_text_semantics(text, entry->semantics)};
    rf_def_text_set(text, at, &to, sizeof(to));
}

void rf_put_schema(struct rf_def_text *text, const void *attributes)
{
    const nvtxPayloadSchemaAttr_t *a = attributes;
    uint32_t n = (uint32_t)a->numEntries;
    uint32_t at = rf_def_text_reserve(text, sizeof(struct rf_schema_def) +
                                                n * sizeof(struct rf_schema_entry));
    const struct rf_schema_def schema = {.flags = a->flags,
                                         .static_size = a->payloadStaticSize,
                                         .pack_align = a->packAlign,
                                         .type = (uint32_t)a->type,
                                         .n_entries = n,
                                         .name = rf_def_text_name(text, a->name)};
    rf_def_text_set(text, at, &schema, sizeof(schema));
    at += (uint32_t)sizeof(schema);
    for (uint32_t i = 0; i < n; i++, at += (uint32_t)sizeof(struct rf_schema_entry))
        put_schema_entry(text, at, &a->entries[i]);
}

void rf_put_enum(struct rf_def_text *text, const void *attributes)
{
    const nvtxPayloadEnumAttr_t *a = attributes;
    uint32_t n = (uint32_t)a->numEntries;
    uint32_t at =
        rf_def_text_reserve(text, sizeof(struct rf_enum_def) + n * sizeof(struct rf_enum_entry));
    const struct rf_enum_def def = {
        .size = a->sizeOfEnum, .n_entries = n, .name = rf_def_text_name(text, a->name)};
    rf_def_text_set(text, at, &def, sizeof(def));
    at += (uint32_t)sizeof(def);
    for (uint32_t i = 0; i < n; i++, at += (uint32_t)sizeof(struct rf_enum_entry)) {
        const struct rf_enum_entry entry = {.value = a->entries[i].value,
                                            .name = rf_def_text_name(text, a->entries[i].name),
                                            .is_flag = a->entries[i].isFlag != 0};
        rf_def_text_set(text, at, &entry, sizeof(entry));
    }
}

void rf_put_scope(struct rf_def_text *text, const void *attributes)
{
    const nvtxScopeAttr_t *a = attributes;
    uint32_t at = rf_def_text_reserve(text, sizeof(struct rf_scope_def));
    const struct rf_scope_def scope = {.parent = a->parentScope,
                                       .path = rf_def_text_name(text, a->path)};
    rf_def_text_set(text, at, &scope, sizeof(scope));
}

void rf_put_counter(struct rf_def_text *text, const void *attributes)
{
    const nvtxCounterAttr_t *a = attributes;
    uint32_t at = rf_def_text_reserve(text, sizeof(struct rf_counter_def));
    const struct rf_counter_def counter = {.schema = a->schemaId,
                                           .scope = a->scopeId,
                                           .name = rf_def_text_name(text, a->name),
                                           .description = rf_def_text_name(text, a->description),
                                           .semantics = rf_def_text_semantics(text, a->semantics)};
    rf_def_text_set(text, at, &counter, sizeof(counter));
}

void rf_put_time_domain(struct rf_def_text *text, const void *attributes)
{
    const nvtxTimeDomainAttr_t *a = attributes;
    const struct rf_time_domain_def def = {.scope = a->scopeId,
                                           .type = a->timestampTypeId,
                                           .flags = a->timerFlags,
                                           .resolution = a->timerResolution,
                                           .start = a->timerStart};
    rf_def_text_set(text, rf_def_text_reserve(text, sizeof(def)), &def, sizeof(def));
}

void rf_put_time_relation(struct rf_def_text *text, const void *attributes)
{
    const struct rf_time_relation *a = attributes;
    const struct rf_time_relation_def def = {
        .from = a->from, .to = a->to, .slope = a->slope, .n_points = a->n_points};
    const uint64_t size = a->n_points * sizeof(*a->point);
    const uint32_t at = rf_def_text_reserve(text, sizeof(def) + size);
    rf_def_text_set(text, at, &def, sizeof(def));
    rf_def_text_set(text, at + sizeof(def), a->point, size);
}
