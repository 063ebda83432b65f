/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a schema through a payload. Nothing is read behind the size that the program declared,
 * and each event has bounds: on what is copied, how deep, how many entries are looked at, and how
 * many bytes are searched for the zero that ends an array; the events of a batch share the last
 * one. Entries behind one whose size is not known are not followed, unless they say their offset.
 */
#include "record/payload/references.h"

#include <string.h>

#include "log/payload_arrays.h"
#include "record/payload/entry_types.h"

#define N_OFFSETS          32u /* entries that lengths may stand in */
#define MOST_ENTRIES       65536u
#define ADDRESSED_PER_LOOK 16u /* payloads that an address is compared with */

struct walk {
    struct rf_reference_host *host;
    struct rf_payloads payloads;
    struct rf_flex flex;
    const struct rf_payload *payload; /* that is walked through */
    size_t n_addressed;               /* payloads that a reader knows the addresses of */
    uint32_t n_references;
    uint32_t n_entries; /* looked at */
    uint64_t n_bytes;   /* copied */
    bool is_cut;        /* something is not looked at, or is copied in part */
    bool is_bad;        /* an array in the event has no zero, so that readers do not find its end */
};

/* What entries are made of. */
struct element {
    struct rf_schema schema; /* schema NULL: of no schema */
    size_t size;             /* 0: not known */
    size_t align;
};

/* A payload, or a part of one, that has the layout of a schema. */
struct frame {
    const struct rf_schema *s;
    const uint8_t *base;
    size_t size;
    uint32_t depth;
    size_t at;     /* where the next entry begins, if it does not say so */
    bool is_known; /* at */
    uint32_t offset[N_OFFSETS];
};

/* Takes n from what may still be looked at. False: there is less, and nothing is from now on. */
static bool may_look(struct walk *w, uint64_t n)
{
    uint64_t *left = w->host->may_look;
    const bool is_left = n <= *left;
    *left -= is_left ? n : *left;
    w->is_cut |= !is_left;
    return is_left;
}

static bool may_go_on(struct walk *w)
{
    return w->n_entries++ < MOST_ENTRIES && w->n_references < RF_MOST_REFERENCES && may_look(w, 1);
}

static struct rf_schema find_schema(const struct rf_reference_host *host, uint64_t domain,
                                    uint64_t id)
{
    return host->find(host->where, domain, id);
}

static size_t align_up(size_t at, size_t align)
{
    return align > 1 ? (at + align - 1) / align * align : at;
}

/* ---- Sizes ---- */

static struct element element_of(struct walk *w, uint64_t type, uint32_t depth);

static size_t capped(const struct rf_schema *s, size_t align)
{
    return s->schema->pack_align != 0 && s->schema->pack_align < align
               ? (size_t)s->schema->pack_align
               : align;
}

/* The size of an entry of a static schema, and *align. 0: not known. */
static size_t static_size(struct walk *w, const struct rf_schema_entry *entry, uint32_t depth,
                          size_t *align)
{
    uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    *align = sizeof(void *);
    if (rf_entry_is_indirect(entry))
        return sizeof(void *);
    struct element element = element_of(w, entry->type, depth);
    *align = element.align;
    if (array == RF_ENTRY_FIXED || (array == 0 && rf_type_is_text(entry->type)))
        return entry->detail < RF_MOST_PAYLOAD_SIZE ? element.size * (size_t)entry->detail : 0;
    return array == 0 ? element.size : 0;
}

static void measure(struct walk *w, struct element *element, uint32_t depth)
{
    const struct rf_schema *s = &element->schema;
    size_t last = 0, end = 0; /* of the entry before, or of a union's selector; of all */
    bool is_known = s->schema->type != RF_SCHEMA_DYNAMIC;
    element->align = 1;
    for (uint32_t i = 0; i < s->n_entries && is_known && may_go_on(w); i++) {
        size_t align;
        size_t size = static_size(w, &s->entry[i], depth, &align);
        align = capped(s, align);
        size_t at =
            i == 0 || s->entry[i].offset != 0 ? (size_t)s->entry[i].offset : align_up(last, align);
        if (align > element->align)
            element->align = align;
        is_known = size != 0 && at < RF_MOST_PAYLOAD_SIZE && size < RF_MOST_PAYLOAD_SIZE;
        if (s->schema->type < RF_SCHEMA_UNION || s->entry[i].type == RF_TYPE_SELECTOR)
            last = at + size;
        if (at + size > end)
            end = at + size;
    }
    element->size = s->schema->static_size != 0 ? (size_t)s->schema->static_size
                    : is_known                  ? align_up(end, element->align)
                                                : 0;
    if (s->schema->type == RF_SCHEMA_DYNAMIC || element->size > RF_MOST_PAYLOAD_SIZE)
        element->size = 0;
}

static struct element element_of(struct walk *w, uint64_t type, uint32_t depth)
{
    struct element element = {.size = rf_type_size(type), .align = rf_type_size(type)};
    if (type < RF_STATIC_IDS)
        return element;
    element.schema = find_schema(w->host, w->payloads.domain, type);
    if (element.schema.schema != NULL && depth < RF_DEEPEST) {
        measure(w, &element, depth + 1);
    } else if (element.schema.def != NULL && element.schema.schema == NULL) {
        const struct rf_enum_def *def = (const void *)(element.schema.def + 1);
        element.size = element.align = def->size <= 8 ? (size_t)def->size : 0;
    }
    return element;
}

/* ---- Lengths ---- */

/* The product of the integers in bytes. False: they are none, or make no sense. */
static bool read_lengths(uint64_t type, const uint8_t *bytes, uint64_t n, uint64_t *length)
{
    size_t size = rf_type_size(type);
    *length = 1;
    for (uint64_t i = 0; i < n; i++) {
        *length *= rf_type_read(type, bytes + i * size);
        if (*length > RF_MOST_PAYLOAD_SIZE)
            return false;
    }
    return rf_type_is_integer(type) && n > 0;
}

/* The length that entry `index` of the same payload holds. */
static bool length_in_entry(const struct frame *f, uint64_t index, uint32_t i, uint64_t *length)
{
    if (index >= i || index >= N_OFFSETS || f->offset[index] == UINT32_MAX)
        return false;
    const struct rf_schema_entry *entry = &f->s->entry[index];
    uint64_t n = (entry->flags & RF_ENTRY_ARRAY) == RF_ENTRY_FIXED ? entry->detail : 1;
    size_t at = f->offset[index], size = rf_type_size(entry->type);
    return n <= 16 && at <= f->size && n * size <= f->size - at &&
           (entry->flags & (RF_ENTRY_POINTER | RF_ENTRY_OFFSET)) == 0 &&
           read_lengths(entry->type, f->base + at, n, length);
}

/* The length that another payload of the event holds. */
static bool length_in_payload(const struct walk *w, uint64_t index, uint64_t *length)
{
    if (index >= w->payloads.n || index >= RF_MOST_PAYLOADS)
        return false;
    const struct rf_payload *p = &w->payloads.first[index];
    size_t size = rf_type_size(p->schema);
    return p->bytes != NULL && size != 0 && p->size >= size && p->size <= 16 * size &&
           read_lengths(p->schema, p->bytes, p->size / size, length);
}

/* Elements up to one whose bytes are all zero, that one included. False: none is, in `limit` bytes
 * or those that may still be looked at; *n is how many elements these are. */
static bool count_to_zero(struct walk *w, const uint8_t *bytes, size_t size, size_t limit,
                          uint64_t *n)
{
    const uint64_t left = *w->host->may_look;
    const size_t most = limit < left ? limit : (size_t)left;
    const size_t end = rf_find_zero_element(bytes, size, most);
    const bool is_found = end != SIZE_MAX;
    *n = (is_found ? end : most) / size;
    (void)may_look(w, is_found || most == limit ? *n * size : limit);
    return is_found;
}

enum count { NOT_KNOWN, NO_ZERO, KNOWN };

/* How many elements an entry has, which stand at bytes. NO_ZERO: as many as fit in `limit` bytes,
 * none of which is the zero that is to end them. */
static enum count count_elements(struct walk *w, const struct frame *f, uint32_t i,
                                 const uint8_t *bytes, size_t limit, size_t size, uint64_t *n)
{
    const struct rf_schema_entry *entry = &f->s->entry[i];
    const bool is_text = rf_type_is_text(entry->type);
    switch (entry->flags & RF_ENTRY_ARRAY) {
    case 0:
        *n = is_text ? entry->detail : 1;
        return *n != 0 || count_to_zero(w, bytes, size, limit, n) ? KNOWN : NO_ZERO;
    case RF_ENTRY_FIXED:
        *n = entry->detail;
        return KNOWN;
    case RF_ENTRY_TERMINATED:
        return count_to_zero(w, bytes, size, limit, n) ? KNOWN : NO_ZERO;
    case RF_ENTRY_LENGTH_INDEX:
        return length_in_entry(f, entry->detail, i, n) ? KNOWN : NOT_KNOWN;
    case RF_ENTRY_LENGTH_PAYLOAD:
        return length_in_payload(w, entry->detail, n) ? KNOWN : NOT_KNOWN;
    default:
        return NOT_KNOWN;
    }
}

/* ---- References ---- */

/* outer, i: the entry that has the schema; outer NULL: none has. */
static size_t walk_schema(struct walk *w, const struct rf_schema *s, const uint8_t *base,
                          size_t size, const struct frame *outer, uint32_t i);

static bool is_in(const uint8_t *address, const void *bytes, size_t size)
{
    return bytes != NULL && (uintptr_t)address - (uintptr_t)bytes < size;
}

/* Does this address lie in a payload of the event, or in what a batch has beside its events? Texts
 * whose size is left to the recorder are not looked at: what points into one is copied. */
static bool is_in_payload(const struct walk *w, const uint8_t *address)
{
    if (is_in(address, w->flex.bytes, w->flex.size))
        return true;
    for (size_t i = 0; i < w->n_addressed && i < RF_MOST_PAYLOADS; i++) {
        const struct rf_payload *p = &w->payloads.first[i];
        if (p->size <= RF_MOST_PAYLOAD_SIZE && is_in(address, p->bytes, p->size))
            return true;
    }
    return false;
}

/* Returns how many bytes of it were copied. */
static size_t add_reference(struct walk *w, const uint8_t *address, uint64_t size)
{
    uint64_t copied = size < RF_REFERENCE_SIZE ? size : RF_REFERENCE_SIZE;
    if (copied > RF_REFERENCES_SIZE - w->n_bytes)
        copied = RF_REFERENCES_SIZE - w->n_bytes;
    if (copied < size)
        w->host->count_lost(w->host, 1, size - copied);
    w->host->add(w->host, address, size, (size_t)copied);
    w->n_references++;
    w->n_bytes += copied;
    return (size_t)copied;
}

/* The elements of entry i. */
static void walk_elements(struct walk *w, const struct element *element, const uint8_t *bytes,
                          size_t size, const struct frame *f, uint32_t i)
{
    for (size_t at = 0; element->size != 0 && at + element->size <= size && may_go_on(w);
         at += element->size)
        (void)walk_schema(w, &element->schema, bytes + at, element->size, f, i);
}

/* The same, where they do not stand in the event: wherever they end, it ends where it did. */
static void walk_elsewhere(struct walk *w, const struct element *element, const uint8_t *bytes,
                           size_t size, const struct frame *f, uint32_t i)
{
    const bool is_bad = w->is_bad;
    walk_elements(w, element, bytes, size, f, i);
    w->is_bad = is_bad;
}

/* The entry is a pointer, which stands at `at`. */
static void follow(struct walk *w, const struct frame *f, uint32_t i, size_t at)
{
    const struct rf_schema_entry *entry = &f->s->entry[i];
    const uint8_t *address;
    uint64_t n;
    bool is_wanted = (entry->flags & RF_ENTRY_DEEP_COPY) != 0 ||
                     (f->s->schema->flags & RF_SCHEMA_DEEP_COPY) != 0;
    memcpy(&address, f->base + at, sizeof(address));
    if (address == NULL || !is_wanted || !may_look(w, w->n_addressed / ADDRESSED_PER_LOOK) ||
        is_in_payload(w, address))
        return;
    struct element element = element_of(w, entry->type, f->depth);
    if (element.size == 0)
        return;
    /* more than may be copied is not searched */
    const uint64_t room = RF_REFERENCES_SIZE - w->n_bytes;
    const size_t limit = room < RF_REFERENCE_SIZE ? (size_t)room : RF_REFERENCE_SIZE;
    const enum count count = count_elements(w, f, i, address, limit, element.size, &n);
    w->is_cut |= count == NO_ZERO;
    if (count == NOT_KNOWN || n == 0 || n > RF_MOST_PAYLOAD_SIZE)
        return;
    size_t copied = add_reference(w, address, n * element.size);
    if (element.schema.has_pointers)
        walk_elsewhere(w, &element, address, copied, f, i);
}

/* The entry is an offset into the payload or a batch's flexData, which stands at `at`. What it
 * leads to is recorded; it may have pointers. */
static void follow_offset(struct walk *w, const struct frame *f, uint32_t i, size_t at)
{
    const struct rf_schema_entry *entry = &f->s->entry[i];
    const bool is_from_here = (entry->flags & RF_ENTRY_OFFSET_FROM_HERE) != 0;
    const bool is_flex = w->flex.bytes != NULL && !is_from_here;
    const uint8_t *first = is_flex ? w->flex.bytes : w->payload->bytes;
    const size_t size = is_flex ? w->flex.size : w->payload->size;
    const size_t here =
        (size_t)((uintptr_t)f->base - (uintptr_t)w->payload->bytes) + at + sizeof(void *);
    uint64_t n, offset = 0;
    struct element element = element_of(w, entry->type, f->depth);
    memcpy(&offset, f->base + at, sizeof(void *));
    if (is_from_here)
        offset += here;
    else if (is_flex)
        offset -= offset >= w->flex.skipped ? w->flex.skipped : 0;
    if (here > w->payload->size || offset > size || !element.schema.has_pointers)
        return; /* also in what a pointer led to */
    size_t room = size - (size_t)offset;
    if (is_flex && room > RF_MOST_FLEX)
        room = RF_MOST_FLEX;
    if (element.size != 0 &&
        count_elements(w, f, i, first + offset, room, element.size, &n) == KNOWN &&
        n <= room / element.size)
        walk_elsewhere(w, &element, first + offset, n * element.size, f, i);
}

/* ---- Entries ---- */

/* The entry stands in the payload at `at`; returns where it ends, SIZE_MAX: not known. */
static size_t walk_embedded(struct walk *w, const struct frame *f, uint32_t i, size_t at,
                            const struct element *element)
{
    const uint8_t *bytes = f->base + at;
    const size_t room = f->size - at;
    uint64_t n;
    if (element->size == 0 && element->schema.schema != NULL && f->depth < RF_DEEPEST &&
        (f->s->entry[i].flags & RF_ENTRY_ARRAY) == 0) {
        size_t size = walk_schema(w, &element->schema, bytes, room, f, i);
        return size != SIZE_MAX ? at + size : SIZE_MAX;
    }
    if (element->size == 0)
        return SIZE_MAX;
    const enum count count = count_elements(w, f, i, bytes, room, element->size, &n);
    w->is_bad |= count == NO_ZERO;
    if (count != KNOWN || n > room / element->size)
        return SIZE_MAX;
    if (element->schema.has_pointers)
        walk_elements(w, element, bytes, n * element->size, f, i);
    return at + n * element->size;
}

/* False: what follows is not known, or there is no room for it. */
static bool walk_entry(struct walk *w, struct frame *f, uint32_t i)
{
    const struct rf_schema_entry *entry = &f->s->entry[i];
    bool is_indirect = rf_entry_is_indirect(entry);
    struct element element = {.size = sizeof(void *), .align = sizeof(void *)};
    if (!is_indirect)
        element = element_of(w, entry->type, f->depth);
    bool says_offset = i == 0 || entry->offset != 0;
    if (i < N_OFFSETS)
        f->offset[i] = UINT32_MAX;
    if (!says_offset && !f->is_known)
        return true;
    size_t at = says_offset ? (size_t)entry->offset : align_up(f->at, capped(f->s, element.align));
    if (at > f->size || (is_indirect && f->size - at < sizeof(void *)))
        return false;
    if (i < N_OFFSETS)
        f->offset[i] = (uint32_t)at;
    if (rf_entry_is_pointer(entry))
        follow(w, f, i, at);
    else if (is_indirect)
        follow_offset(w, f, i, at);
    f->at = is_indirect ? at + sizeof(void *) : walk_embedded(w, f, i, at, &element);
    f->is_known = f->at != SIZE_MAX;
    return true;
}

/* Which member of a union is valid, by its selector; where members begin goes to f->at. */
static bool select_by_own_entry(struct frame *f, uint64_t *member)
{
    uint32_t i = 0, value;
    while (i < f->s->n_entries && f->s->entry[i].type != RF_TYPE_SELECTOR)
        i++;
    size_t at = i < f->s->n_entries ? (size_t)f->s->entry[i].offset : SIZE_MAX;
    if (at > f->size || f->size - at < sizeof(value))
        return false;
    memcpy(&value, f->base + at, sizeof(value));
    *member = value;
    f->at = value > i ? at + sizeof(value) : 0;
    return value != i;
}

/* By an entry that stands before the union, an integer or enum. */
static bool select_by_other_entry(struct walk *w, const struct frame *outer, uint32_t i,
                                  uint64_t *member)
{
    const uint64_t index = outer->s->entry[i].detail;
    if (index >= i || index >= N_OFFSETS || outer->offset[index] == UINT32_MAX)
        return false;
    const struct rf_schema_entry *selector = &outer->s->entry[index];
    const size_t at = outer->offset[index];
    struct element element = element_of(w, selector->type, outer->depth);
    if (rf_entry_is_indirect(selector) || (selector->flags & RF_ENTRY_ARRAY) != 0 ||
        element.schema.schema != NULL || element.size == 0 || element.size > sizeof(*member) ||
        at > outer->size || outer->size - at < element.size)
        return false;
    *member = 0;
    memcpy(member, outer->base + at, element.size);
    if (element.schema.def != NULL) /* an enum */
        return *member >> (8 * element.size - 1) == 0;
    return rf_type_is_integer(selector->type) &&
           rf_type_read(selector->type, outer->base + at) == *member; /* it is not negative */
}

static void walk_union(struct walk *w, struct frame *f, const struct frame *outer, uint32_t i)
{
    uint64_t member;
    bool is_known = false;
    if (f->s->schema->type == RF_SCHEMA_UNION_INTERNAL)
        is_known = may_look(w, f->s->n_entries) && select_by_own_entry(f, &member);
    else if (outer != NULL && (outer->s->entry[i].flags & RF_ENTRY_ARRAY) == 0)
        is_known = select_by_other_entry(w, outer, i, &member);
    if (is_known && member < f->s->n_entries && may_go_on(w))
        (void)walk_entry(w, f, (uint32_t)member);
}

/* Returns where the entries end, SIZE_MAX: not known, as that of a union. */
static size_t walk_schema(struct walk *w, const struct rf_schema *s, const uint8_t *base,
                          size_t size, const struct frame *outer, uint32_t outer_i)
{
    const uint32_t depth = outer != NULL ? outer->depth + 1 : 0;
    struct frame f = {.s = s, .base = base, .size = size, .depth = depth, .is_known = true};
    if (depth > RF_DEEPEST || s->schema == NULL)
        return SIZE_MAX;
    if (s->schema->type == RF_SCHEMA_UNION || s->schema->type == RF_SCHEMA_UNION_INTERNAL) {
        walk_union(w, &f, outer, outer_i);
        return SIZE_MAX;
    }
    if (s->schema->type != RF_SCHEMA_STATIC && s->schema->type != RF_SCHEMA_DYNAMIC)
        return SIZE_MAX;
    for (uint32_t i = 0; i < s->n_entries; i++)
        if (!may_go_on(w) || !walk_entry(w, &f, i))
            return SIZE_MAX;
    return f.is_known ? f.at : SIZE_MAX;
}

/* ---- Events ---- */

bool rf_references_are_possible(const struct rf_reference_host *host, struct rf_payloads payloads)
{
    for (size_t i = 0; i < payloads.n; i++)
        if (payloads.first[i].schema == RF_TYPE_REFERENCED ||
            (payloads.first[i].schema >= RF_STATIC_IDS &&
             find_schema(host, payloads.domain, payloads.first[i].schema).has_pointers))
            return true;
    return false;
}

static void count_what_is_left(struct walk *w)
{
    if (w->is_cut || w->n_entries > MOST_ENTRIES || w->n_references == RF_MOST_REFERENCES)
        w->host->count_lost(w->host, 1, 0);
}

uint64_t rf_payloads_look_limit(struct rf_payloads payloads)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < payloads.n; i++)
        bytes += payloads.first[i].size <= RF_MOST_PAYLOAD_SIZE ? payloads.first[i].size : 0;
    return rf_look_limit(bytes);
}

void rf_references_add(struct rf_reference_host *host, struct rf_payloads payloads)
{
    struct walk w = {.host = host, .payloads = payloads, .n_addressed = payloads.n};
    for (size_t i = 0; i < payloads.n; i++) {
        const struct rf_payload *p = &payloads.first[i];
        if (p->schema < RF_STATIC_IDS || p->bytes == NULL || p->size > RF_MOST_PAYLOAD_SIZE)
            continue;
        struct rf_schema s = find_schema(host, payloads.domain, p->schema);
        w.payload = p;
        if (s.has_pointers)
            (void)walk_schema(&w, &s, p->bytes, p->size, NULL, 0);
    }
    count_what_is_left(&w);
}

size_t rf_references_event_size(struct rf_reference_host *host, uint64_t domain, uint64_t schema)
{
    struct walk w = {.host = host, .payloads.domain = domain};
    return element_of(&w, schema, 0).size;
}

size_t rf_references_add_of_batch(struct rf_reference_host *host, struct rf_payloads payloads,
                                  struct rf_flex flex)
{
    const struct rf_payload *p = payloads.first;
    struct walk w = {.host = host, .payloads = payloads, .flex = flex, .payload = p};
    struct rf_schema s = find_schema(host, payloads.domain, p->schema);
    const size_t end = walk_schema(&w, &s, p->bytes, p->size, NULL, 0);
    count_what_is_left(&w);
    return w.is_bad ? SIZE_MAX : end;
}
