/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_schema.h"

#include <stdlib.h>

#include "base/grow.h"
#include "nvtxw/nvtxw_defs.h"
#include "record/nvtx/read_sized.h"
#include "record/payload/entry_types.h"
#include "record/payload/payload.h"

#define LONGEST_CHAIN 64u
#define ENTRY_ROLE    ((uint64_t)7 << 12)
#define ENTRY_TIME    ((uint64_t)NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP)
#define MOST_STAMPS   1024u /* of one event */

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
           role != NVTX_PAYLOAD_ENTRY_FLAG_COUNTER && rf_type_is_integer(entry->type);
}

/* What an entry takes in place. */
struct place {
    const struct nvtxw_schema *schema; /* NULL: its type is none */
    uint64_t size, align;              /* of an element; size 0: not known */
    uint64_t n;                        /* elements; 0: not known */
    bool is_elsewhere;                 /* what stands there leads to it */
};

static uint64_t enum_size(const struct rf_schema *layout)
{
    const struct rf_enum_def *def = (const void *)(layout->def + 1);
    return def->size <= 8 ? def->size : 0;
}

static struct place place_of(const struct nvtxw_domain *domain,
                             const nvtxPayloadSchemaEntry_t *entry)
{
    const struct rf_schema_entry e = {
        .flags = entry->flags, .type = entry->type, .detail = entry->arrayOrUnionDetail};
    const uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    struct place place = {.size = rf_type_size(entry->type), .n = array == 0};
    place.align = place.size;
    if (rf_entry_is_indirect(&e))
        return (struct place){
            .size = sizeof(void *), .align = sizeof(void *), .n = 1, .is_elsewhere = true};
    if (entry->type >= NVTXW_STATIC_IDS)
        place.schema = nvtxw_nested_of(domain, entry->type);
    if (place.schema != NULL) {
        const bool is_enum = place.schema->layout.schema == NULL;
        place.size = is_enum ? enum_size(&place.schema->layout) : place.schema->place_size;
        place.align = is_enum ? place.size : place.schema->align;
    }
    if (array == RF_ENTRY_FIXED || (rf_type_is_text(entry->type) && array == 0))
        place.n = entry->arrayOrUnionDetail < UINT32_MAX ? entry->arrayOrUnionDetail : 0;
    return place;
}

static bool add_stamp(struct nvtxw_schema *schema, struct nvtxw_stamp stamp)
{
    if (rf_grow_array(&schema->stamp, schema->n_stamps, &schema->stamp_room,
                      sizeof(*schema->stamp)) != RF_OK)
        return false;
    schema->stamp[schema->n_stamps++] = stamp;
    return true;
}

/* The times of an entry that begins at `at`, in each of its elements. */
static bool add_stamps(struct nvtxw_schema *schema, const nvtxPayloadSchemaEntry_t *entry,
                       const struct place *place, uint64_t at)
{
    const bool is_one = is_stamp(entry);
    const size_t n_inner = place->schema != NULL ? place->schema->n_stamps : 0;
    bool is_added = true;
    for (uint64_t i = 0; i < place->n && schema->n_stamps < MOST_STAMPS && is_added; i++) {
        if (is_one)
            is_added =
                add_stamp(schema, (struct nvtxw_stamp){at + i * place->size,
                                                       nvtxw_semantics_time(entry->semantics),
                                                       entry->flags & ENTRY_ROLE, entry->type});
        for (size_t k = 0; k < n_inner && schema->n_stamps < MOST_STAMPS && is_added; k++) {
            struct nvtxw_stamp stamp = place->schema->stamp[k];
            stamp.offset += at + i * place->size;
            is_added = add_stamp(schema, stamp);
        }
        if ((!is_one && n_inner == 0) || place->size == 0)
            break;
    }
    return is_added;
}

/* Where an entry begins that may say it; `last`: where the one before it ends. */
static uint64_t begin_of(const nvtxPayloadSchemaAttr_t *given, size_t i, uint64_t align,
                         uint64_t last)
{
    const bool says_offset = i == 0 || given->entries[i].offset != 0;
    return says_offset ? given->entries[i].offset : (last + align - 1) / align * align;
}

/* Entries of structures lie where their types are aligned, unless they are packed. Those of a union
 * lie behind its selector, if it has one, and which of them is valid differs. */
static bool find_stamps(const struct nvtxw_domain *domain, struct nvtxw_schema *schema,
                        const nvtxPayloadSchemaAttr_t *given)
{
    const bool is_union = given->type >= RF_SCHEMA_UNION;
    bool is_known = true, is_added = true;
    uint64_t last = 0, end = 0;
    schema->align = 1;
    for (size_t i = 0; i < given->numEntries && is_added; i++) {
        const nvtxPayloadSchemaEntry_t *entry = &given->entries[i];
        const struct place place = place_of(domain, entry);
        uint64_t align = place.align > 1 ? place.align : 1;
        if (given->packAlign != 0 && given->packAlign < align)
            align = given->packAlign;
        schema->align = align > schema->align ? align : schema->align;
        const uint64_t at = begin_of(given, i, align, last);
        is_known = (is_known || entry->offset != 0) && at < RF_MOST_PAYLOAD_SIZE;
        if (is_known && !is_union && !place.is_elsewhere)
            is_added = add_stamps(schema, entry, &place, at);
        is_known &= place.size != 0 && place.n != 0 && place.n < RF_MOST_PAYLOAD_SIZE / place.size;
        const uint64_t its_end = at + (is_known ? place.size * place.n : 0);
        last = !is_union || entry->type == RF_TYPE_SELECTOR ? its_end : last;
        end = its_end > end ? its_end : end;
    }
    schema->place_size = schema->size;
    if (schema->size == 0 && is_known && !schema->is_dynamic)
        schema->place_size = (end + schema->align - 1) / schema->align * schema->align;
    return is_added;
}

struct nvtxw_schema *nvtxw_schema_new(const struct nvtxw_domain *domain,
                                      const nvtxPayloadSchemaAttr_t *given)
{
    struct nvtxw_schema *schema = calloc(1, sizeof(*schema));
    if (schema == NULL || given == NULL)
        return schema;
    schema->is_dynamic = given->type == NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC;
    schema->size = schema->is_dynamic ? 0 : given->payloadStaticSize;
    if (!find_stamps(domain, schema, given)) {
        nvtxw_schema_free(schema);
        return NULL;
    }
    return schema;
}

void nvtxw_schema_free(struct nvtxw_schema *schema)
{
    if (schema == NULL)
        return;
    free(schema->def);
    free(schema->stamp);
    free(schema);
}
