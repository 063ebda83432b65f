/* SPDX-License-Identifier: Apache-2.0 */
/* Structs, arrays and what they point to. Each function here hands over one value, whatever the
 * bytes are, and returns where the next one begins; NULL: that is not known. */
#include "model/payload/payload_visit.h"

#include <stdlib.h>
#include <string.h>

#include "log/payload_arrays.h"
#include "model/payload/payload_reader.h"
#include "model/recording.h"

#define MAX_DEPTH      32
#define MAX_DIMENSIONS 8
#define MAX_OPEN       60   /* objects and arrays in each other: visitors keep a bit for each */
#define FEW_VALUES     4096 /* any payload may have as many; larger ones as many as bytes */

/* What costs as much as a value. */
#define SEARCHED_PER_VALUE 64   /* bytes, for a zero that ends an array */
#define ITEMS_PER_VALUE    1024 /* items of a group that are compared */
#define ENTRIES_PER_VALUE  32   /* of a union, in which its selector is found */

/* A struct that is being decoded. */
struct frame {
    const struct rf_payload_schema *schema;
    const uint8_t *base, *end;                /* end: of the bytes that there are */
    const uint8_t *place[RF_PAYLOAD_LENGTHS]; /* of entries that others need; NULL: not yet */
};

static const uint8_t *give_struct(struct rf_payload_reader *r, const struct rf_payload_label *label,
                                  const struct rf_payload_schema *schema, const uint8_t *at,
                                  const uint8_t *end, const struct frame *outer);

static size_t room_of(const uint8_t *at, const uint8_t *end)
{
    return (size_t)(end - at);
}

static const uint8_t *give_bad(struct rf_payload_reader *r, const struct rf_payload_label *label,
                               const uint8_t *at, const uint8_t *end)
{
    rf_payload_give_bytes(r, label, at, room_of(at, end), true);
    return NULL;
}

/* Returns whether the beginning was handed over, and end() is due. */
static bool begin(struct rf_payload_reader *r, const struct rf_payload_label *label,
                  enum rf_value_kind kind, uint64_t count)
{
    struct rf_value value = {.kind = kind, .count = count};
    if (r->n_open >= MAX_OPEN) {
        rf_payload_give_bytes(r, label, r->item->bytes, 0, true);
        return false;
    }
    rf_payload_give(r, label, &value);
    r->n_open += !r->has_ended;
    return !r->has_ended;
}

static void end(struct rf_payload_reader *r)
{
    static const struct rf_payload_label none = {.name = NULL};
    struct rf_value value = {.kind = RF_VALUE_END};
    bool has_ended = r->has_ended;
    r->n_open--;
    r->has_ended = r->status != 0; /* also where there are too many values */
    rf_payload_give(r, &none, &value);
    r->has_ended |= has_ended;
}

/* ---- Lengths ---- */

/* The dimensions of an array. n 0: they are not known. */
struct dimensions {
    uint64_t length[MAX_DIMENSIONS];
    unsigned n;
};

static bool is_integer(const struct rf_payload_entry *entry)
{
    return (entry->form == RF_ENTRY_UNSIGNED || entry->form == RF_ENTRY_SIGNED ||
            entry->form == RF_ENTRY_SELECTOR || entry->form == RF_ENTRY_ENUM) &&
           entry->size <= 8;
}

static uint64_t length_at(const struct rf_payload_entry *entry, const uint8_t *at)
{
    uint64_t length = rf_payload_integer(at, entry->size, entry->form == RF_ENTRY_SIGNED);
    return entry->form == RF_ENTRY_SIGNED && length >> 63 != 0 ? 0 : length;
}

/* Reads lengths: one, as many as are fixed, or up to a zero. */
static struct dimensions read_lengths(const struct rf_payload_entry *entry, const uint8_t *at,
                                      const uint8_t *to)
{
    struct dimensions d = {.n = 0};
    uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    uint64_t most = array == RF_ARRAY_FIXED  ? entry->detail
                    : array == RF_ARRAY_NONE ? 1
                                             : UINT64_MAX;
    if (!is_integer(entry) || array > RF_ARRAY_ZERO_TERMINATED ||
        (entry->flags & RF_ENTRY_INDIRECT) != 0)
        return d;
    for (uint64_t i = 0; i < most; i++, at += entry->size) {
        if (room_of(at, to) < entry->size || (i == MAX_DIMENSIONS && most != UINT64_MAX))
            return (struct dimensions){.n = 0};
        uint64_t length = length_at(entry, at);
        if (most == UINT64_MAX && length == 0)
            break;
        if (i == MAX_DIMENSIONS)
            return (struct dimensions){.n = 0};
        d.length[d.n++] = length;
    }
    return d;
}

/* Where an entry that others need lies; NULL: it was not decoded, or cannot be. */
static const uint8_t *place_of(const struct frame *f, uint64_t index)
{
    const struct rf_payload_entry *entry =
        index < f->schema->n_entries ? &f->schema->entry[index] : NULL;
    if (entry == NULL || entry->slot == 0)
        return NULL;
    if (f->place[entry->slot - 1] != NULL)
        return f->place[entry->slot - 1];
    return entry->has_place && entry->at <= room_of(f->base, f->end) ? f->base + entry->at : NULL;
}

/* The lengths that are another payload of the event. */
static struct dimensions lengths_of_payload(struct rf_payload_reader *r, uint64_t index)
{
    const struct rf_payload_group *group = r->group;
    rf_payload_charge(r, group->n / ITEMS_PER_VALUE);
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_item *item = &group->item[i];
        if (item->kind != RF_DATA_PAYLOAD || index-- != 0)
            continue;
        const struct rf_payload_schema *schema = rf_payload_schema_at(r->rec, item->definition);
        struct rf_payload_entry entry;
        const uint8_t *at = item->bytes, *to = item->bytes + item->n_bytes;
        if (schema != NULL && schema->n_entries > 0) {
            entry = schema->entry[0];
            at = entry.at <= item->n_bytes ? at + entry.at : to;
        } else {
            entry = rf_payload_predefined(r->rec, r->process, item->schema);
            entry.flags = entry.size != 0 ? RF_ARRAY_FIXED : 0;
            entry.detail = entry.size != 0 ? item->n_bytes / entry.size : 0;
        }
        return read_lengths(&entry, at, to);
    }
    return (struct dimensions){.n = 0};
}

/* Elements up to one whose bytes are all zero. The bytes that are searched cost as much as values:
 * many arrays may stand at the same place, or end at the same zero. */
static struct dimensions count_to_zero(struct rf_payload_reader *r, const uint8_t *at,
                                       const uint8_t *to, uint64_t size)
{
    const size_t room = room_of(at, to);
    const size_t end =
        size != 0 && size <= room ? rf_find_zero_element(at, (size_t)size, room) : SIZE_MAX;
    const uint64_t searched = end != SIZE_MAX ? end : room;
    rf_payload_charge(r, searched / (r->is_measuring ? 1 : SEARCHED_PER_VALUE));
    if (end == SIZE_MAX)
        return (struct dimensions){.n = 0}; /* it has no end */
    return (struct dimensions){{end / size - 1}, 1};
}

/* ---- One element, and arrays ---- */

static uint64_t element_size(const struct rf_payload_reader *r,
                             const struct rf_payload_entry *entry)
{
    if (entry->form != RF_ENTRY_STRUCT)
        return entry->size;
    const struct rf_payload_schema *schema = rf_payload_schema_at(r->rec, entry->target);
    return schema != NULL ? schema->size : 0;
}

static const uint8_t *give_one(struct rf_payload_reader *r, const struct rf_payload_label *label,
                               const struct rf_payload_entry *entry, const uint8_t *at,
                               const uint8_t *to, const struct frame *outer)
{
    if (entry->form == RF_ENTRY_STRUCT)
        return give_struct(r, label, rf_payload_schema_at(r->rec, entry->target), at, to, outer);
    if (entry->form == RF_ENTRY_INVALID || room_of(at, to) < entry->size)
        return give_bad(r, label, at, to);
    rf_payload_give_element(r, label, entry, at);
    return at + entry->size;
}

static const uint8_t *give_dimension(struct rf_payload_reader *r,
                                     const struct rf_payload_label *label,
                                     const struct rf_payload_entry *entry,
                                     const struct dimensions *d, unsigned which, const uint8_t *at,
                                     const uint8_t *to)
{
    const struct rf_payload_label element = {.name = NULL, .entry = entry};
    bool is_last = which + 1 == d->n;
    if (!begin(r, label, RF_VALUE_ARRAY, d->length[which]))
        return NULL;
    for (uint64_t i = 0; i < d->length[which] && at != NULL && !r->has_ended; i++)
        at = is_last ? give_one(r, &element, entry, at, to, NULL)
                     : give_dimension(r, &element, entry, d, which + 1, at, to);
    end(r);
    return at;
}

/* An array whose elements are all there. */
static const uint8_t *give_array(struct rf_payload_reader *r, const struct rf_payload_label *label,
                                 const struct rf_payload_entry *entry, const struct dimensions *d,
                                 const uint8_t *at, const uint8_t *to)
{
    uint64_t size = element_size(r, entry), n = 1;
    for (unsigned i = 0; i < d->n; i++)
        if (__builtin_mul_overflow(n, d->length[i], &n))
            n = UINT64_MAX;
    bool is_empty = n == 0;
    if (d->n == 0 || (!is_empty && (size == 0 || n > room_of(at, to) / size)))
        return give_bad(r, label, at, to);
    const uint8_t *next = is_empty ? at : at + n * size;
    if (entry->form == RF_ENTRY_CHAR || entry->form == RF_ENTRY_STRING)
        rf_payload_give_text(r, label, at, is_empty ? 0 : n, entry->size);
    else if (entry->form == RF_ENTRY_BYTE)
        rf_payload_give_bytes(r, label, at, is_empty ? 0 : (size_t)n, false);
    else
        (void)give_dimension(r, label, entry, d, 0, at, to);
    return next;
}

/* The size of a payload ends a text that has no zero: NVTXW's helpers leave it out. */
static bool ends_with_payload(const struct rf_payload_reader *r,
                              const struct rf_payload_entry *entry, const uint8_t *to)
{
    const struct rf_payload_item *item = r->item;
    return (entry->form == RF_ENTRY_CHAR || entry->form == RF_ENTRY_STRING) && !r->is_measuring &&
           item->kind == RF_DATA_PAYLOAD && item->n_bytes == item->size &&
           to == item->bytes + item->n_bytes;
}

/* What an entry is, in its place or where it points to. */
static const uint8_t *give_content(struct rf_payload_reader *r,
                                   const struct rf_payload_label *label,
                                   const struct rf_payload_entry *entry, const struct frame *f,
                                   const uint8_t *at, const uint8_t *to)
{
    struct dimensions d = {.n = 1};
    const uint8_t *lengths, *next;
    switch (entry->flags & RF_ENTRY_ARRAY) {
    case RF_ARRAY_NONE:
        return give_one(r, label, entry, at, to, f);
    case RF_ARRAY_FIXED:
        d.length[0] = entry->detail;
        return give_array(r, label, entry, &d, at, to);
    case RF_ARRAY_ZERO_TERMINATED:
        d = count_to_zero(r, at, to, element_size(r, entry));
        if (d.n == 0 && ends_with_payload(r, entry, to)) {
            d = (struct dimensions){{room_of(at, to) / entry->size}, 1};
            return give_array(r, label, entry, &d, at, to) != NULL ? to : NULL;
        }
        next = give_array(r, label, entry, &d, at, to);
        return next != NULL ? next + element_size(r, entry) : NULL;
    case RF_ARRAY_LENGTH_INDEX:
        lengths = place_of(f, entry->detail);
        d.n = 0;
        if (lengths != NULL)
            d = read_lengths(&f->schema->entry[entry->detail], lengths, f->end);
        return give_array(r, label, entry, &d, at, to);
    case RF_ARRAY_LENGTH_PAYLOAD:
        d = lengths_of_payload(r, entry->detail);
        return give_array(r, label, entry, &d, at, to);
    default:
        return give_bad(r, label, at, to);
    }
}

/* ---- Pointers and offsets ---- */

/* Finds the bytes at an address of the program. */
static bool find_address(struct rf_payload_reader *r, uint64_t address, const uint8_t **at,
                         const uint8_t **to)
{
    const struct rf_payload_group *group = r->group;
    rf_payload_charge(r, group->n / ITEMS_PER_VALUE);
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_item *item = &group->item[i];
        if (item->address == 0 || address < item->address ||
            address - item->address >= item->n_bytes)
            continue;
        *at = item->bytes + (address - item->address);
        *to = item->bytes + item->n_bytes;
        return true;
    }
    return false;
}

static void give_address(struct rf_payload_reader *r, const struct rf_payload_label *label,
                         uint64_t address)
{
    struct rf_value value = {.kind = address != 0 ? RF_VALUE_ADDRESS : RF_VALUE_NULL,
                             .number = address};
    rf_payload_give(r, label, &value);
}

/* The bytes that the batch has beside its events; NULL: none. */
static const struct rf_payload_item *find_flex(const struct rf_payload_group *group)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (group->item[i].kind == RF_PAYLOAD_FLEX)
            return &group->item[i];
    return NULL;
}

/* Offsets count from the payload's first byte, or that of a batch's flexData, or from the end of
 * the entry. */
static bool find_offset(const struct rf_payload_reader *r, const struct rf_payload_entry *entry,
                        uint64_t offset, const uint8_t *here, const uint8_t **at,
                        const uint8_t **to)
{
    const struct rf_payload_item *flex =
        (entry->flags & RF_ENTRY_OFFSET_FROM_HERE) ? NULL : r->flex;
    const struct rf_payload_item *from = flex != NULL ? flex : r->item;
    if (flex != NULL && offset < flex->schema)
        return false;
    if (flex != NULL)
        offset -= flex->schema;
    else if (entry->flags & RF_ENTRY_OFFSET_FROM_HERE)
        offset += (uint64_t)(here - from->bytes);
    if (offset > from->n_bytes)
        return false;
    *at = from->bytes + offset;
    *to = from->bytes + from->n_bytes;
    if (flex != NULL && room_of(*at, *to) > RF_MOST_FLEX)
        *to = *at + RF_MOST_FLEX;
    return true;
}

static const uint8_t *give_indirect(struct rf_payload_reader *r,
                                    const struct rf_payload_label *label,
                                    const struct rf_payload_entry *entry, const struct frame *f,
                                    const uint8_t *at)
{
    uint32_t size = f->schema->address;
    const uint8_t *from, *to;
    if (room_of(at, f->end) < size)
        return give_bad(r, label, at, f->end);
    const uint8_t *here = at + size;
    uint64_t number = rf_payload_integer(at, size, false);
    if (r->is_measuring)
        return here;
    if (entry->flags & RF_ENTRY_POINTER) {
        if (find_address(r, number, &from, &to))
            (void)give_content(r, label, entry, f, from, to);
        else
            give_address(r, label, number);
    } else if (find_offset(r, entry, number, here, &from, &to)) {
        (void)give_content(r, label, entry, f, from, to);
    } else {
        (void)give_bad(r, label, at, here);
    }
    return here;
}

/* ---- Structs and unions ---- */

static const uint8_t *give_entry(struct rf_payload_reader *r, const struct rf_payload_label *label,
                                 struct frame *f, const struct rf_payload_entry *entry,
                                 const uint8_t *at)
{
    if (entry->slot != 0)
        f->place[entry->slot - 1] = at;
    return (entry->flags & RF_ENTRY_INDIRECT) != 0 ? give_indirect(r, label, entry, f, at)
                                                   : give_content(r, label, entry, f, at, f->end);
}

/* Where entry i begins; NULL: that is not known, or it would lie outside. */
static const uint8_t *entry_place(const struct frame *f, const struct rf_payload_entry *entry,
                                  const uint8_t *cursor)
{
    uint64_t at = entry->at;
    if (!entry->has_place) {
        if (cursor == NULL)
            return NULL;
        at = room_of(f->base, cursor);
        if (entry->align > 1)
            at = (at + entry->align - 1) / entry->align * entry->align;
    }
    return at <= room_of(f->base, f->end) ? f->base + at : NULL;
}

static const uint8_t *give_entries(struct rf_payload_reader *r, struct frame *f)
{
    const uint8_t *cursor = f->base;
    for (uint32_t i = 0; i < f->schema->n_entries && !r->has_ended; i++) {
        const struct rf_payload_entry *entry = &f->schema->entry[i];
        const struct rf_payload_label label = {entry->name, entry, entry->flags};
        const uint8_t *at = entry_place(f, entry, cursor);
        bool is_muted = (entry->flags & RF_ENTRY_HIDE) != 0 && (r->flags & RF_VISIT_SHOWN) != 0;
        r->n_muted += is_muted;
        if (at != NULL)
            cursor = give_entry(r, &label, f, entry, at);
        else
            cursor = give_bad(r, &label, f->end, f->end);
        r->n_muted -= is_muted;
    }
    return cursor;
}

/* The member that a selector chooses; NULL: none. */
static const struct rf_payload_entry *chosen(const struct frame *f, const struct frame *outer,
                                             uint64_t selector)
{
    const struct rf_payload_schema *schema = f->schema;
    const struct frame *from = schema->type == RF_SCHEMA_UNION ? outer : f;
    const struct rf_payload_entry *entry = NULL;
    if (from == NULL || selector >= from->schema->n_entries)
        return NULL;
    entry = &from->schema->entry[selector];
    const uint8_t *at =
        schema->type == RF_SCHEMA_UNION ? place_of(outer, selector) : entry_place(f, entry, NULL);
    if (at == NULL || !is_integer(entry) || room_of(at, from->end) < entry->size)
        return NULL;
    uint64_t index = rf_payload_integer(at, entry->size, false);
    return index < schema->n_entries && schema->entry[index].form != RF_ENTRY_SELECTOR
               ? &schema->entry[index]
               : NULL;
}

/* A union is shown as a struct with the member that is valid. */
static const uint8_t *give_union(struct rf_payload_reader *r, struct frame *f,
                                 const struct frame *outer, const struct rf_payload_entry *entry)
{
    const struct rf_payload_schema *schema = f->schema;
    uint64_t selector = entry != NULL ? entry->detail : 0;
    rf_payload_charge(r, schema->n_entries / ENTRIES_PER_VALUE);
    if (schema->type == RF_SCHEMA_UNION_INTERNAL)
        for (selector = 0; selector < schema->n_entries; selector++)
            if (schema->entry[selector].form == RF_ENTRY_SELECTOR)
                break;
    const struct rf_payload_entry *member = chosen(f, outer, selector);
    const uint8_t *at = member != NULL ? entry_place(f, member, NULL) : NULL;
    const struct rf_payload_label label = {.name = member != NULL ? member->name : "",
                                           .entry = member,
                                           .flags = member != NULL ? member->flags : 0};
    if (at == NULL)
        return give_bad(r, &label, f->base, f->end);
    return give_entry(r, &label, f, member, at);
}

/* The value of the only entry that is shown. */
static const uint8_t *give_only(struct rf_payload_reader *r, const struct rf_payload_label *label,
                                struct frame *f, uint32_t only)
{
    const struct rf_payload_schema *schema = f->schema;
    const struct rf_payload_entry *entry = &schema->entry[only];
    const struct rf_payload_label own = {
        .name = label->name, .entry = entry, .flags = label->flags | entry->flags};
    const uint8_t *cursor = f->base;
    if (only > 0) { /* behind its length */
        const struct rf_payload_entry *length = &schema->entry[0];
        f->place[length->slot - 1] = f->base;
        cursor = room_of(f->base, f->end) >= length->size ? f->base + length->size : NULL;
    }
    const uint8_t *place = entry_place(f, entry, cursor);
    return place != NULL ? give_entry(r, &own, f, entry, place)
                         : give_bad(r, label, f->base, f->end);
}

static const uint8_t *give_struct(struct rf_payload_reader *r, const struct rf_payload_label *label,
                                  const struct rf_payload_schema *schema, const uint8_t *at,
                                  const uint8_t *to, const struct frame *outer)
{
    if (schema == NULL || schema->type == 0 || r->depth >= MAX_DEPTH)
        return give_bad(r, label, at, to);
    struct frame f = {.schema = schema, .base = at, .end = to};
    const uint8_t *next = NULL;
    if (schema->size != 0 && schema->size < room_of(at, to))
        f.end = at + schema->size;
    uint32_t only = r->depth > 0 && schema->is_wrapper ? 0 : schema->only;
    r->depth++;
    if (only != RF_NO_INDEX) {
        next = give_only(r, label, &f, only);
    } else if (begin(r, label, RF_VALUE_OBJECT, schema->n_entries)) {
        next = schema->type < RF_SCHEMA_UNION ? give_entries(r, &f)
                                              : give_union(r, &f, outer, label->entry);
        end(r);
    }
    r->depth--;
    if (schema->size != 0)
        return room_of(at, to) >= schema->size ? at + schema->size : NULL;
    return next;
}

/* ---- Payloads ---- */

/* Of a predefined type: one value, or an array of what fits. */
static void give_predefined(struct rf_payload_reader *r, const struct rf_payload_label *label,
                            const struct rf_payload_item *item)
{
    struct rf_payload_entry entry = rf_payload_predefined(r->rec, r->process, item->schema);
    const uint8_t *to = item->bytes + item->n_bytes;
    struct dimensions d = {.n = 1};
    if (item->schema == RF_NVTX_RAW) {
        rf_payload_give_bytes(r, label, item->bytes, item->n_bytes, item->n_bytes < item->size);
        return;
    }
    d.length[0] = entry.size != 0 ? item->n_bytes / entry.size : 0;
    if (entry.form == RF_ENTRY_INVALID || d.length[0] == 0)
        (void)give_bad(r, label, item->bytes, to);
    else if (d.length[0] == 1 && entry.form != RF_ENTRY_STRING)
        (void)give_one(r, label, &entry, item->bytes, to, NULL);
    else
        (void)give_array(r, label, &entry, &d, item->bytes, to);
}

static void give_item(struct rf_payload_reader *r, const struct rf_payload_item *item)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(r->rec, item->definition);
    struct rf_payload_label label = {.name = schema != NULL ? schema->name : NULL};
    r->item = item;
    r->is_bad |= item->n_bytes < item->size;
    if (item->schema < RF_NVTX_STATIC_IDS)
        give_predefined(r, &label, item);
    else
        (void)give_struct(r, &label, schema, item->bytes, item->bytes + item->n_bytes, NULL);
}

static void init_reader(struct rf_payload_reader *r, const rf_recording *rec, uint32_t process,
                        const struct rf_payload_group *group, rf_value_visitor *visitor,
                        void *context)
{
    memset(r, 0, offsetof(struct rf_payload_reader, small));
    r->large = NULL;
    r->large_size = 0;
    r->rec = rec;
    r->process = process;
    r->visitor = visitor;
    r->context = context;
    r->group = group;
    r->flex = find_flex(group);
    r->n_left = FEW_VALUES;
}

static void give_group(struct rf_payload_reader *r)
{
    for (uint32_t i = 0; i < r->group->n; i++)
        if (r->group->item[i].kind != RF_PAYLOAD_FLEX)
            r->n_left += r->group->item[i].n_bytes;
    for (uint32_t i = 0; i < r->group->n && !r->has_ended; i++)
        if (rf_payload_is_shown(&r->group->item[i]))
            give_item(r, &r->group->item[i]);
    free(r->large);
}

int rf_payload_visit_group(const rf_recording *rec, uint32_t process,
                           const struct rf_payload_group *group, unsigned flags,
                           rf_value_visitor *visitor, void *context, bool *is_bad)
{
    struct rf_payload_reader r;
    init_reader(&r, rec, process, group, visitor, context);
    r.flags = flags;
    give_group(&r);
    *is_bad = r.is_bad;
    return r.status;
}

int rf_payload_visit_entries(const rf_recording *rec, uint32_t process,
                             const struct rf_payload_group *group, rf_value_visitor *visitor,
                             void *context, const struct rf_payload_entry **entry)
{
    struct rf_payload_reader r;
    init_reader(&r, rec, process, group, visitor, context);
    r.entry = entry;
    give_group(&r);
    return r.status;
}

uint64_t rf_payload_measure(const rf_recording *rec, uint32_t process,
                            const struct rf_payload_item *item, uint64_t *n_left)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(rec, item->definition);
    const struct rf_payload_group group = {.item = item, .n = 1};
    const struct rf_payload_label label = {.name = NULL};
    struct rf_payload_reader r;
    init_reader(&r, rec, process, &group, NULL, NULL);
    r.item = item;
    r.n_left = *n_left;
    r.is_measuring = true;
    const uint8_t *next =
        give_struct(&r, &label, schema, item->bytes, item->bytes + item->n_bytes, NULL);
    free(r.large);
    *n_left = r.n_left;
    return next != NULL && !r.is_bad && !r.has_ended ? (uint64_t)(next - item->bytes) : 0;
}

int rf_payload_visit_entry(const rf_recording *rec, uint32_t process,
                           const struct rf_payload_group *group, const struct rf_payload_item *item,
                           const struct rf_payload_entry *entry, uint64_t at,
                           rf_value_visitor *visitor, void *context)
{
    const struct rf_payload_label label = {entry->name, entry, entry->flags};
    struct rf_payload_reader r;
    init_reader(&r, rec, process, group, visitor, context);
    r.item = item;
    r.depth = 1; /* it is nested */
    r.n_left += item->n_bytes;
    (void)give_content(&r, &label, entry, NULL, item->bytes + at, item->bytes + item->n_bytes);
    free(r.large);
    return r.status;
}

bool rf_payload_is_sound(const rf_recording *rec, const struct rf_payload_item *item)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(rec, item->definition);
    if (item->n_bytes < item->size)
        return false;
    if (item->schema < RF_NVTX_STATIC_IDS)
        return item->schema == RF_NVTX_RAW || !rf_payload_is_shown(item);
    return schema != NULL && schema->is_plain && item->n_bytes >= schema->size;
}

static void visit_top(const rf_recording *rec, const struct rf_payload_set *set, unsigned flags,
                      rf_value_visitor *visitor, void *context, int *status)
{
    bool is_bad;
    *status =
        rf_payload_visit_group(rec, set->process, &set->begin, flags, visitor, context, &is_bad);
    if (*status == 0 && set->end.n_shown > 0)
        *status =
            rf_payload_visit_group(rec, set->process, &set->end, flags, visitor, context, &is_bad);
}

int rf_visit_payloads(const rf_recording *rec, const struct rf_event *event, unsigned flags,
                      rf_value_visitor *visitor, void *context)
{
    const struct rf_payload_set *set =
        rec != NULL && event != NULL ? rf_payload_set_of(rec, event) : NULL;
    if (set == NULL || visitor == NULL)
        return 0;
    uint32_t n = set->begin.n_shown + set->end.n_shown;
    struct rf_value value = {.kind = RF_VALUE_ARRAY, .count = n};
    int status = n != 1 ? visitor(context, &value) : 0;
    if (status == 0)
        visit_top(rec, set, flags, visitor, context, &status);
    value = (struct rf_value){.kind = RF_VALUE_END};
    return status == 0 && n != 1 ? visitor(context, &value) : status;
}
