/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/schemas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording.h"

#define MOST_BYTES  (1ULL << 40) /* of an entry; whatever is longer cannot be in a file */
#define MAX_NESTING 16

enum { SEMANTICS_SCOPE = 1 };

/* ---- Predefined types ---- */

struct predefined {
    uint8_t form, size, align;
};

#define TYPE(number, form, size) [number] = {RF_ENTRY_##form, size, size}

/* As most programs of 64 bits have them; definitions of TYPE_SIZES say how others do. */
static const struct predefined predefined[] = {
    TYPE(1, CHAR, 1),        TYPE(2, UNSIGNED, 1),   TYPE(3, SIGNED, 2),    TYPE(4, UNSIGNED, 2),
    TYPE(5, SIGNED, 4),      TYPE(6, UNSIGNED, 4),   TYPE(7, SIGNED, 8),    TYPE(8, UNSIGNED, 8),
    TYPE(9, SIGNED, 8),      TYPE(10, UNSIGNED, 8),  TYPE(11, SIGNED, 1),   TYPE(12, UNSIGNED, 1),
    TYPE(13, SIGNED, 2),     TYPE(14, UNSIGNED, 2),  TYPE(15, SIGNED, 4),   TYPE(16, UNSIGNED, 4),
    TYPE(17, SIGNED, 8),     TYPE(18, UNSIGNED, 8),  TYPE(19, FLOAT, 4),    TYPE(20, FLOAT, 8),
    TYPE(21, EXTENDED, 16),  TYPE(22, UNSIGNED, 8),  TYPE(23, ADDRESS, 8),  TYPE(24, CHAR, 4),
    TYPE(25, CHAR, 1),       TYPE(26, CHAR, 2),      TYPE(27, CHAR, 4),     TYPE(32, BYTE, 1),
    TYPE(33, SIGNED, 16),    TYPE(34, UNSIGNED, 16), TYPE(42, FLOAT, 2),    TYPE(43, FLOAT, 4),
    TYPE(44, FLOAT, 8),      TYPE(45, FLOAT, 16),    TYPE(50, BFLOAT, 2),   TYPE(52, FLOAT, 4),
    TYPE(67, UNSIGNED, 8),   TYPE(68, UNSIGNED, 4),  TYPE(69, UNSIGNED, 4), TYPE(70, UNSIGNED, 8),
    TYPE(71, UNSIGNED, 4),   TYPE(72, UNSIGNED, 8),  TYPE(73, UNSIGNED, 4), TYPE(74, UNSIGNED, 8),
    TYPE(75, STRING, 1),     TYPE(76, STRING, 1),    TYPE(77, STRING, 2),   TYPE(78, STRING, 4),
    TYPE(80, REGISTERED, 8), TYPE(100, SELECTOR, 4),
};

#define N_PREDEFINED (sizeof(predefined) / sizeof(predefined[0]))

static bool is_power(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Whether elements of a form can have this size. */
static bool has_size(uint8_t form, uint32_t size)
{
    switch (form) {
    case RF_ENTRY_EXTENDED:
        return size == 12 || size == 16;
    case RF_ENTRY_FLOAT:
        return size >= 2 && size <= 16 && is_power(size);
    case RF_ENTRY_CHAR:
        return size <= 4 && is_power(size);
    default:
        return size <= 16 && is_power(size);
    }
}

/* A long double is what its size says: eight bytes are a double. On other machines than x86, 16
 * bytes are IEEE 754's; but recordings are of the machine that reads them, as a rule. */
static uint8_t long_double_form(uint32_t size)
{
#if defined(__x86_64__) || defined(__i386__)
    return size > 8 ? RF_ENTRY_EXTENDED : RF_ENTRY_FLOAT;
#else
    (void)size;
    return RF_ENTRY_FLOAT;
#endif
}

struct rf_payload_entry rf_payload_predefined(const rf_recording *rec, uint32_t process,
                                              uint64_t type)
{
    const struct rf_nvtx_definition *sizes = rf_nvtx_type_sizes(rec, process);
    struct rf_payload_entry entry = {.type = type, .target = RF_NO_INDEX, .schema = RF_NO_INDEX};
    struct rf_type_size own;
    if (type >= N_PREDEFINED || predefined[type].size == 0)
        return entry;
    entry.form = predefined[type].form;
    entry.size = predefined[type].size;
    entry.align = predefined[type].align;
    if (sizes != NULL && type <= RF_NVTX_CHAR32 &&
        rf_nvtx_read(sizes, type * sizeof(own), &own, sizeof(own)) && own.size != 0) {
        entry.size = own.size;
        entry.align = is_power(own.align) ? own.align : 1;
    }
    if (entry.form == RF_ENTRY_EXTENDED)
        entry.form = long_double_form(entry.size);
    if (!has_size(entry.form, entry.size))
        entry.form = RF_ENTRY_INVALID;
    return entry;
}

/* ---- Entries ---- */

struct layout {
    const rf_recording *rec;
    struct rf_nvtx_definitions *all;
    const struct rf_nvtx_definition *definition;
    struct rf_payload_schema *schema;
    uint64_t pack_align;
    uint64_t at;      /* where the next entry would lie */
    uint64_t end;     /* of the entry that ends last */
    uint64_t first;   /* of a union with a selector: the end of that */
    uint32_t address; /* the size of a pointer */
    bool is_known;    /* `at` is the same for all payloads */
    unsigned depth;
    int status;
};

static void lay_out(struct layout *outer, uint32_t index);

static uint64_t times(uint64_t n, uint64_t size)
{
    return size != 0 && n > MOST_BYTES / size ? MOST_BYTES : n * size;
}

static uint64_t aligned(uint64_t at, uint32_t align)
{
    return align > 1 ? (at + align - 1) & ~((uint64_t)align - 1) : at;
}

static void take_enum(struct rf_payload_entry *entry, const struct rf_nvtx_definition *definition)
{
    struct rf_enum_def head;
    if (!rf_nvtx_read(definition, 0, &head, sizeof(head)) || head.size > 8 ||
        !is_power((uint32_t)head.size))
        return;
    entry->form = RF_ENTRY_ENUM;
    entry->size = entry->align = (uint32_t)head.size;
}

/* Gives an entry the form of the schema or enum that it names. What a pointer points to may be laid
 * out later: chains of structs point to their own schema. */
static void take_target(struct layout *l, struct rf_payload_entry *entry)
{
    uint32_t index = rf_nvtx_find_beside(l->rec, l->definition, entry->type);
    const struct rf_nvtx_definition *definition = rf_nvtx_definition_at(l->rec, index);
    entry->form = RF_ENTRY_INVALID;
    entry->target = index;
    if (definition == NULL)
        return;
    if (definition->kind == RF_NVTX_DEF_ENUM) {
        take_enum(entry, definition);
        return;
    }
    const struct rf_payload_schema *nested = &l->all->schema[index];
    if ((entry->flags & RF_ENTRY_INDIRECT) == 0) {
        if ((nested->type != 0 && !nested->is_laid_out) || l->depth >= MAX_NESTING)
            return; /* it would contain itself */
        lay_out(l, index);
        entry->size = nested->size < UINT32_MAX ? (uint32_t)nested->size : 0;
        entry->align = nested->align;
    }
    entry->form = RF_ENTRY_STRUCT;
}

/* A string without a length and without an array's flags is a pointer to one. */
static void complete_string(struct rf_payload_entry *entry)
{
    uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    if (array == RF_ARRAY_NONE && entry->detail != 0)
        entry->flags |= RF_ARRAY_FIXED;
    else if (array == RF_ARRAY_NONE)
        entry->flags |= RF_ARRAY_ZERO_TERMINATED |
                        ((entry->flags & RF_ENTRY_INDIRECT) == 0 ? RF_ENTRY_POINTER : 0);
}

/* The bytes that an entry takes in its payload; 0: they vary. */
static uint64_t size_in_place(const struct layout *l, const struct rf_payload_entry *entry)
{
    if (entry->flags & RF_ENTRY_INDIRECT)
        return l->schema->address;
    switch (entry->flags & RF_ENTRY_ARRAY) {
    case RF_ARRAY_NONE:
        return entry->size;
    case RF_ARRAY_FIXED:
        return times(entry->detail, entry->size);
    default:
        return 0;
    }
}

/* Whether an entry can be read from any bytes. */
static bool is_plain(const struct layout *l, const struct rf_payload_entry *entry)
{
    uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    if (!entry->has_place || (entry->flags & RF_ENTRY_INDIRECT) != 0 ||
        (array != RF_ARRAY_NONE && array != RF_ARRAY_FIXED))
        return false;
    if (entry->form == RF_ENTRY_STRUCT)
        return l->all->schema[entry->target].is_plain;
    return entry->form != RF_ENTRY_INVALID && entry->form != RF_ENTRY_SELECTOR;
}

static bool sets_attributes(const struct layout *l, const struct rf_payload_entry *entry)
{
    if ((entry->flags & RF_ENTRY_MESSAGE) || entry->type == RF_NVTX_CATEGORY ||
        entry->type == RF_NVTX_COLOR_ARGB)
        return true;
    return entry->form == RF_ENTRY_STRUCT && l->all->schema[entry->target].has_attributes;
}

static bool sets_dates(const struct layout *l, const struct rf_payload_entry *entry)
{
    struct rf_semantics scope;
    if ((entry->flags & (RF_ENTRY_TIMESTAMP | RF_ENTRY_ROLE)) != 0 ||
        (entry->type >= RF_NVTX_RANGE_ID && entry->type <= RF_NVTX_TID_UINT64))
        return true;
    if (rf_nvtx_semantics(l->definition, entry->semantics, SEMANTICS_SCOPE, &scope))
        return true;
    return entry->form == RF_ENTRY_STRUCT && l->all->schema[entry->target].has_dates;
}

static bool has_handles(const struct layout *l, const struct rf_payload_entry *entry)
{
    return entry->form == RF_ENTRY_REGISTERED ||
           (entry->form == RF_ENTRY_STRUCT && l->all->schema[entry->target].has_handles);
}

static bool has_counters(const struct layout *l, const struct rf_payload_entry *entry)
{
    return (entry->flags & RF_ENTRY_ROLE) == RF_ENTRY_COUNTER ||
           (entry->form == RF_ENTRY_STRUCT && l->all->schema[entry->target].has_counters);
}

/* Puts an entry behind those before it, or where the program says. */
static void place(struct layout *l, struct rf_payload_entry *entry, uint32_t i)
{
    struct rf_payload_schema *schema = l->schema;
    uint32_t align = (entry->flags & RF_ENTRY_INDIRECT) ? l->schema->address : entry->align;
    uint64_t size = size_in_place(l, entry);
    bool is_union = schema->type >= RF_SCHEMA_UNION;
    if (l->pack_align != 0 && align > l->pack_align)
        align = (uint32_t)l->pack_align;
    if (align > schema->align)
        schema->align = align;
    if (is_union)
        l->at = l->first;
    entry->align = align;
    entry->has_place = l->is_known || i == 0 || entry->at != 0 || is_union;
    if (i != 0 && entry->at == 0)
        entry->at = l->is_known || is_union ? aligned(l->at, align) : 0;
    if (entry->at > MOST_BYTES)
        entry->form = RF_ENTRY_INVALID;
    l->is_known = entry->has_place && size != 0 && entry->form != RF_ENTRY_INVALID;
    l->at = entry->at < MOST_BYTES ? entry->at + size : MOST_BYTES;
    if (entry->form == RF_ENTRY_SELECTOR)
        l->first = l->at;
    if (l->at > l->end)
        l->end = l->at;
}

static void call_by_number(struct rf_payload_schema *schema, uint32_t i)
{
    (void)snprintf(schema->number[i], sizeof(schema->number[i]), "%u", i);
    schema->entry[i].name = schema->number[i];
}

static void read_entry(struct layout *l, uint32_t i)
{
    struct rf_payload_entry *entry = &l->schema->entry[i];
    struct rf_schema_entry raw;
    if (!rf_nvtx_read(l->definition, sizeof(struct rf_schema_def) + i * sizeof(raw), &raw,
                      sizeof(raw)))
        return;
    *entry = rf_payload_predefined(l->rec, l->definition->process, raw.type);
    entry->flags = raw.flags;
    entry->detail = raw.detail;
    entry->at = raw.offset;
    entry->name = rf_nvtx_text(l->definition, raw.name);
    entry->is_named = entry->name != NULL && entry->name[0] != 0;
    if (!entry->is_named)
        call_by_number(l->schema, i);
    entry->description = rf_nvtx_text(l->definition, raw.description);
    entry->semantics = raw.semantics;
    entry->schema = (uint32_t)(l->definition - l->all->definition);
    if (raw.type >= RF_NVTX_STATIC_IDS)
        take_target(l, entry);
    else if (entry->form == RF_ENTRY_STRING)
        complete_string(entry);
}

/* ---- Schemas ---- */

/* Notes which entries others need for their length, or as the selector of a union. */
static void find_lengths(struct layout *l)
{
    struct rf_payload_schema *schema = l->schema;
    unsigned n_slots = 0;
    for (uint32_t i = 0; i < schema->n_entries; i++) {
        struct rf_payload_entry *entry = &schema->entry[i];
        bool is_union =
            entry->form == RF_ENTRY_STRUCT && l->all->schema[entry->target].type == RF_SCHEMA_UNION;
        if ((entry->flags & RF_ENTRY_ARRAY) != RF_ARRAY_LENGTH_INDEX && !is_union)
            continue;
        struct rf_payload_entry *length =
            entry->detail < schema->n_entries ? &schema->entry[entry->detail] : NULL;
        if (length == NULL || (length->flags & RF_ENTRY_INDIRECT) != 0 ||
            (entry->detail >= i && !length->has_place) ||
            (length->slot == 0 && n_slots == RF_PAYLOAD_LENGTHS))
            entry->form = RF_ENTRY_INVALID;
        else if (length->slot == 0)
            length->slot = (uint8_t)++n_slots;
    }
}

struct named {
    const char *name;
    uint32_t entry;
};

static int compare_names(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Of several entries with one name all but the first are called by their numbers: values have keys.
 */
static int tell_apart(struct rf_payload_schema *schema)
{
    const uint32_t n = schema->n_entries;
    struct named *named = n > 1 ? malloc(n * sizeof(*named)) : NULL;
    if (named == NULL)
        return n > 1 ? RF_ERR_NO_MEMORY : RF_OK;
    for (uint32_t i = 0; i < n; i++)
        named[i] = (struct named){schema->entry[i].name, i};
    qsort(named, n, sizeof(*named), compare_names);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(named[i].name, named[i - 1].name) == 0)
            call_by_number(schema, named[i].entry);
    free(named);
    return RF_OK;
}

/* A value that the program wrapped is shown as itself: the only entry of a schema, if that has no
 * name (or, where the schema is nested, the schema has none); and of a schema without a name, an
 * array behind its length. */
static uint32_t find_only(const struct rf_payload_schema *schema)
{
    const struct rf_payload_entry *entry = schema->entry;
    if (schema->type != RF_SCHEMA_STATIC && schema->type != RF_SCHEMA_DYNAMIC)
        return RF_NO_INDEX;
    if (schema->n_entries == 1 && !entry[0].is_named)
        return 0;
    bool is_list = schema->n_entries == 2 && schema->name == NULL && entry[0].slot != 0 &&
                   entry[0].flags == 0 &&
                   (entry[1].flags & RF_ENTRY_ARRAY) == RF_ARRAY_LENGTH_INDEX;
    return is_list ? 1 : RF_NO_INDEX;
}

static void complete_schema(struct layout *l, const struct rf_schema_def *head)
{
    struct rf_payload_schema *schema = l->schema;
    bool is_fixed = schema->type != RF_SCHEMA_DYNAMIC && schema->n_entries > 0;
    schema->is_plain = schema->type == RF_SCHEMA_STATIC || schema->type == RF_SCHEMA_DYNAMIC;
    for (uint32_t i = 0; i < schema->n_entries; i++) {
        const struct rf_payload_entry *entry = &schema->entry[i];
        schema->is_plain &= is_plain(l, entry);
        schema->has_attributes |= sets_attributes(l, entry);
        schema->has_dates |= sets_dates(l, entry);
        schema->has_handles |= has_handles(l, entry);
        schema->has_counters |= has_counters(l, entry);
        is_fixed &= entry->has_place && size_in_place(l, entry) != 0;
    }
    schema->size = aligned(l->end, schema->align);
    if (schema->type != RF_SCHEMA_DYNAMIC && head->static_size != 0)
        schema->size = head->static_size < MOST_BYTES ? head->static_size : MOST_BYTES;
    else if (!is_fixed && !schema->is_plain)
        schema->size = 0;
    schema->is_plain &= l->end <= schema->size;
    schema->only = find_only(schema);
    schema->is_wrapper =
        schema->n_entries == 1 && schema->name == NULL && schema->type <= RF_SCHEMA_DYNAMIC;
}

static int begin_schema(struct layout *l, const struct rf_schema_def *head)
{
    struct rf_payload_schema *schema = l->schema;
    size_t n = (size_t)head->n_entries + 1;
    schema->entry = calloc(n, sizeof(*schema->entry));
    schema->number = calloc(n, sizeof(*schema->number));
    if (schema->entry == NULL || schema->number == NULL)
        return RF_ERR_NO_MEMORY;
    schema->is_laid_out = false;
    schema->name = rf_nvtx_text(l->definition, head->name);
    schema->flags = head->flags;
    schema->type = (uint8_t)head->type;
    schema->n_entries = head->n_entries;
    schema->address =
        (uint8_t)rf_payload_predefined(l->rec, l->definition->process, RF_NVTX_ADDRESS).size;
    if (schema->address != 4)
        schema->address = 8;
    return RF_OK;
}

static void lay_out(struct layout *outer, uint32_t index)
{
    struct layout l = *outer;
    struct rf_schema_def head;
    l.definition = &l.all->definition[index];
    l.schema = &l.all->schema[index];
    if (l.status != RF_OK || l.schema->type != 0 || l.schema->is_laid_out ||
        l.definition->kind != RF_NVTX_DEF_SCHEMA)
        return;
    l.schema->is_laid_out = true;
    l.schema->align = 1;
    if (!rf_nvtx_read(l.definition, 0, &head, sizeof(head)) || head.type < RF_SCHEMA_STATIC ||
        head.type > RF_SCHEMA_UNION_INTERNAL ||
        head.n_entries > (l.definition->size - sizeof(head)) / sizeof(struct rf_schema_entry))
        return;
    outer->status = begin_schema(&l, &head);
    if (outer->status != RF_OK)
        return;
    l.pack_align = is_power((uint32_t)head.pack_align) ? head.pack_align : 0;
    l.at = l.end = l.first = 0;
    l.is_known = true;
    l.depth++;
    for (uint32_t i = 0; i < head.n_entries; i++) {
        read_entry(&l, i);
        place(&l, &l.schema->entry[i], i);
    }
    find_lengths(&l);
    complete_schema(&l, &head);
    l.schema->is_laid_out = true;
    outer->status = l.status == RF_OK ? tell_apart(l.schema) : l.status;
}

int rf_payload_schemas_lay_out(const rf_recording *rec)
{
    struct layout l = {.rec = rec, .all = rec->nvtx, .status = RF_OK};
    if (l.all == NULL)
        return RF_OK;
    l.all->schema = calloc((size_t)l.all->n + 1, sizeof(*l.all->schema));
    if (l.all->schema == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < l.all->n && l.status == RF_OK; i++)
        lay_out(&l, i);
    return l.status;
}

const struct rf_payload_schema *rf_payload_schema_at(const rf_recording *rec, uint32_t definition)
{
    const struct rf_nvtx_definitions *all = rec->nvtx;
    return all != NULL && all->schema != NULL && definition < all->n &&
                   all->definition[definition].kind == RF_NVTX_DEF_SCHEMA
               ? &all->schema[definition]
               : NULL;
}

void rf_payload_schemas_release(struct rf_nvtx_definitions *all)
{
    for (uint32_t i = 0; i < all->n && all->schema != NULL; i++) {
        free(all->schema[i].entry);
        free(all->schema[i].number);
    }
    free(all->schema);
    all->schema = NULL;
}
