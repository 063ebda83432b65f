/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_schema.h"

#include <stdlib.h>

#include "record/nvtx/read_sized.h"
#include "record/payload/entry_types.h"

#define LONGEST_CHAIN 64u
#define ENTRY_ROLE    ((uint64_t)7 << 12)
#define ENTRY_TIME    ((uint64_t)NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP)
#define STAMP_SIZE    8u

uint64_t nvtxw_semantics_time(const nvtxSemanticsHeader_t *first)
{
    for (unsigned i = 0; first != NULL && i < LONGEST_CHAIN; i++, first = first->next) {
        nvtxSemanticsTime_t time;
        if (first->semanticId != NVTX_SEMANTIC_ID_TIME_V1)
            continue;
        rf_read_sized(&time, sizeof(time), first, first->structSize);
        return time.timeDomainId;
    }
    return 0;
}

static bool is_stamp(const nvtxPayloadSchemaEntry_t *entry)
{
    const uint64_t role = entry->flags & ENTRY_ROLE;
    const bool is_time = (entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) == 0 &&
                         (entry->flags & ENTRY_TIME) != 0;
    return (is_time || role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN ||
            role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END || role == NVTX_PAYLOAD_ENTRY_FLAG_MARK) &&
           role != NVTX_PAYLOAD_ENTRY_FLAG_COUNTER && rf_type_is_integer(entry->type) &&
           rf_type_size(entry->type) == STAMP_SIZE && (entry->flags & RF_ENTRY_ARRAY) == 0;
}

/* The size of an entry in place; 0: it is not known here, and neither is where the next ones lie,
 * unless they say it. */
static uint64_t size_of(const nvtxPayloadSchemaEntry_t *entry)
{
    const struct rf_schema_entry e = {
        .flags = entry->flags, .type = entry->type, .detail = entry->arrayOrUnionDetail};
    if (rf_entry_is_indirect(&e))
        return sizeof(void *);
    const uint64_t size = rf_type_size(entry->type), array = entry->flags & RF_ENTRY_ARRAY;
    if (array == RF_ENTRY_FIXED || (rf_type_is_text(entry->type) && array == 0))
        return size != 0 && entry->arrayOrUnionDetail < UINT32_MAX
                   ? size * entry->arrayOrUnionDetail
                   : 0;
    return array == 0 ? size : 0;
}

static void add_stamp(struct nvtxw_schema *schema, const nvtxPayloadSchemaEntry_t *entry,
                      uint64_t offset)
{
    if (schema->n_stamps < NVTXW_MOST_STAMPS)
        schema->stamp[schema->n_stamps++] = (struct nvtxw_stamp){
            offset, nvtxw_semantics_time(entry->semantics), entry->flags & ENTRY_ROLE};
}

/* Entries of structures lie where their types are aligned, unless they are packed. */
static void find_stamps(struct nvtxw_schema *schema, const nvtxPayloadSchemaAttr_t *given)
{
    bool is_known = true;
    uint64_t at = 0;
    for (size_t i = 0; i < given->numEntries; i++) {
        const nvtxPayloadSchemaEntry_t *entry = &given->entries[i];
        const uint64_t unit = rf_type_size(entry->type), size = size_of(entry);
        uint64_t align = unit != 0 && unit <= 16 && (unit & (unit - 1)) == 0 ? unit : 1;
        if (given->packAlign != 0 && given->packAlign < align)
            align = given->packAlign;
        if (entry->offset != 0) {
            at = entry->offset;
            is_known = true;
        }
        at = (at + align - 1) / align * align;
        if (is_known && is_stamp(entry))
            add_stamp(schema, entry, at);
        is_known &= size != 0;
        at += size;
    }
}

struct nvtxw_schema *nvtxw_schema_new(const nvtxPayloadSchemaAttr_t *given)
{
    struct nvtxw_schema *schema = calloc(1, sizeof(*schema));
    if (schema == NULL)
        return NULL;
    if (given == NULL)
        return schema;
    schema->is_dynamic = given->type == NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC;
    schema->size = schema->is_dynamic ? 0 : given->payloadStaticSize;
    if (given->type == NVTX_PAYLOAD_SCHEMA_TYPE_STATIC || schema->is_dynamic)
        find_stamps(schema, given);
    return schema;
}

void nvtxw_schema_free(struct nvtxw_schema *schema)
{
    if (schema == NULL)
        return;
    free(schema->def);
    free(schema);
}
