/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_names.h"
#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"

#define EVERY_PROCESS UINT64_MAX
#define N_SIZES       (RF_NVTX_CHAR32 + 1u)
#define MANY_ENTRIES  (1u << 24) /* more than a file of a usual size has */

/* Whose a row is. */
struct layout_key {
    uint64_t process; /* key, or EVERY_PROCESS */
    uint64_t domain, id;
    uint64_t kind; /* enum rf_nvtx_def */
};

/* A row of NVTX_PAYLOAD_SCHEMAS or _ENUMS. */
struct layout_head {
    struct layout_key key;
    uint64_t type, flags, size, align;
    uint64_t n_entries;
    bool has_n;
    uint32_t name, order;
};

/* A row of NVTX_PAYLOAD_SCHEMA_ENTRIES or _ENUM_ENTRIES. */
struct layout_part {
    struct layout_key key;
    uint64_t index;
    uint64_t word[4]; /* flags, type, detail, offset; value, whether it is a flag */
    uint32_t name, description, order;
};

struct layout_sizes {
    uint64_t process;
    struct rf_type_size size[N_SIZES];
};

struct layout_string {
    uint64_t process, handle;
    uint32_t string;
};

struct nsys_layouts {
    struct layout_head *head;
    uint32_t n_heads;
    size_t head_room;
    struct layout_part *part;
    uint32_t n_parts;
    size_t part_room;
    struct layout_sizes *sizes;
    uint32_t n_sizes;
    size_t sizes_room;
    struct rf_map sizes_of; /* (process, 0) */
    struct layout_string *string;
    uint32_t n_strings;
    size_t string_room;
};

/* ---- Reading ---- */

/* The columns that all four tables begin with here. */
#define KEY_COLUMNS "globalPid", "domainId", "schemaId"
enum { GLOBAL_PID, DOMAIN_ID, SCHEMA_ID, FIRST_COLUMN };

static uint64_t number_at(struct nsys_row *row, int column)
{
    int64_t value;
    (void)nsys_row_int(row, column, &value);
    return (uint64_t)value;
}

static bool read_key(struct nsys_load *load, struct nsys_row *row, enum rf_nvtx_def kind,
                     struct layout_key *key)
{
    int64_t id, process;
    *key = (struct layout_key){
        .process = EVERY_PROCESS, .domain = number_at(row, DOMAIN_ID), .kind = (uint64_t)kind};
    if (nsys_row_int(row, GLOBAL_PID, &process)) {
        key->process = (uint64_t)process >> NSYS_TID_BITS;
        load->has_own_layouts = true;
    }
    if (!nsys_row_int(row, SCHEMA_ID, &id) || key->domain > UINT32_MAX) {
        (void)nsys_row_skip(row,
                            "no schemaId, or no possible domainId: no payload is decoded by it");
        return false;
    }
    key->id = (uint64_t)id;
    return true;
}

static int add_head(struct nsys_load *load, struct nsys_row *row, struct layout_head *head,
                    int name_column)
{
    struct nsys_layouts *all = load->layouts;
    int status = nsys_read_text(load, row, name_column, &head->name);
    if (status != RF_OK)
        return status;
    if (rf_grow_array(&all->head, all->n_heads, &all->head_room, sizeof(*all->head)) != RF_OK)
        return nsys_no_memory(load);
    head->order = all->n_heads;
    all->head[all->n_heads++] = *head;
    return RF_OK;
}

static int read_schema(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct layout_head head;
    memset(&head, 0, sizeof(head));
    if (!read_key(load, row, RF_NVTX_DEF_SCHEMA, &head.key))
        return RF_OK;
    head.type = number_at(row, FIRST_COLUMN + 1);
    head.flags = number_at(row, FIRST_COLUMN + 2);
    head.n_entries = number_at(row, FIRST_COLUMN + 3);
    head.has_n = nsys_row_has(row, FIRST_COLUMN + 3);
    head.size = number_at(row, FIRST_COLUMN + 4);
    head.align = number_at(row, FIRST_COLUMN + 5);
    return add_head(load, row, &head, FIRST_COLUMN);
}

static int read_enum(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct layout_head head;
    memset(&head, 0, sizeof(head));
    if (!read_key(load, row, RF_NVTX_DEF_ENUM, &head.key))
        return RF_OK;
    head.n_entries = number_at(row, FIRST_COLUMN + 1);
    head.has_n = nsys_row_has(row, FIRST_COLUMN + 1);
    head.size = number_at(row, FIRST_COLUMN + 2);
    return add_head(load, row, &head, FIRST_COLUMN);
}

static int add_part(struct nsys_load *load, struct nsys_row *row, struct layout_part *part)
{
    struct nsys_layouts *all = load->layouts;
    part->index = number_at(row, FIRST_COLUMN);
    int status = nsys_read_text(load, row, FIRST_COLUMN + 1, &part->name);
    if (status != RF_OK)
        return status;
    if (rf_grow_array(&all->part, all->n_parts, &all->part_room, sizeof(*all->part)) != RF_OK)
        return nsys_no_memory(load);
    part->order = all->n_parts;
    all->part[all->n_parts++] = *part;
    return RF_OK;
}

static int read_entry(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct layout_part part;
    if (!read_key(load, row, RF_NVTX_DEF_SCHEMA, &part.key))
        return RF_OK;
    for (int i = 0; i < 4; i++)
        part.word[i] = number_at(row, FIRST_COLUMN + 3 + i);
    int status = nsys_read_text(load, row, FIRST_COLUMN + 2, &part.description);
    return status == RF_OK ? add_part(load, row, &part) : status;
}

static int read_enum_entry(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct layout_part part = {.description = RF_NO_STRING};
    if (!read_key(load, row, RF_NVTX_DEF_ENUM, &part.key))
        return RF_OK;
    for (int i = 0; i < 2; i++)
        part.word[i] = number_at(row, FIRST_COLUMN + 2 + i);
    return add_part(load, row, &part);
}

static int read_size(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct nsys_layouts *all = load->layouts;
    const uint64_t process = number_at(row, 0) >> NSYS_TID_BITS, type = number_at(row, 1),
                   size = number_at(row, 2), align = number_at(row, 3);
    if (type >= N_SIZES || size > UINT16_MAX || align > UINT16_MAX)
        return nsys_row_skip(row, "no possible size of a type: left out");
    uint32_t i = rf_map_find(&all->sizes_of, process, 0);
    if (i == RF_MAP_NONE) {
        i = all->n_sizes;
        if (rf_grow_array(&all->sizes, i, &all->sizes_room, sizeof(*all->sizes)) != RF_OK ||
            rf_map_set(&all->sizes_of, process, 0, i) != RF_OK)
            return nsys_no_memory(load);
        memset(&all->sizes[i], 0, sizeof(all->sizes[i]));
        all->sizes[i].process = process;
        all->n_sizes++;
    }
    all->sizes[i].size[type] = (struct rf_type_size){(uint16_t)size, (uint16_t)align};
    return RF_OK;
}

/* "0x1f" */
static bool parse_handle(const char *text, size_t size, uint64_t *handle)
{
    *handle = 0;
    if (size < 3 || size > 18 || text[0] != '0' || text[1] != 'x')
        return false;
    for (size_t i = 2; i < size; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text[i]);
        if (digit == NULL || *digit == 0)
            return false;
        *handle = *handle << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

static int read_string(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct nsys_layouts *all = load->layouts;
    struct layout_string string = {.process = number_at(row, 0) >> NSYS_TID_BITS};
    size_t size;
    const char *text = nsys_row_text(row, 1, &size);
    if (text == NULL || !parse_handle(text, size, &string.handle))
        return nsys_row_skip(row, "no handle: left out");
    int status = nsys_read_text(load, row, 2, &string.string);
    if (status != RF_OK || string.string == RF_NO_STRING)
        return status;
    if (rf_grow_array(&all->string, all->n_strings, &all->string_room, sizeof(*all->string)) !=
        RF_OK)
        return nsys_no_memory(load);
    all->string[all->n_strings++] = string;
    return RF_OK;
}

int nsys_load_layouts(struct nsys_load *load)
{
    const struct nsys_reader readers[] = {
        {"NVTX_PAYLOAD_SCHEMAS", read_schema,
         NSYS_COLUMNS(KEY_COLUMNS, "name", "type", "flags", "numEntries", "payloadSize",
                      "alignTo")},
        {"NVTX_PAYLOAD_SCHEMA_ENTRIES", read_entry,
         NSYS_COLUMNS(KEY_COLUMNS, "idx", "name", "description", "flags", "type",
                      "arrayOrUnionDetail", "offset")},
        {"NVTX_PAYLOAD_ENUMS", read_enum, NSYS_COLUMNS(KEY_COLUMNS, "name", "numEntries", "size")},
        {"NVTX_PAYLOAD_ENUM_ENTRIES", read_enum_entry,
         NSYS_COLUMNS(KEY_COLUMNS, "idx", "name", "value", "isFlag")},
        {"RANGEFINDER_NVTX_TYPE_SIZES", read_size,
         NSYS_COLUMNS("globalPid", "type", "size", "alignment")},
        {"RANGEFINDER_NVTX_STRINGS", read_string, NSYS_COLUMNS("globalPid", "handle", "text")},
        {.table = NULL}};
    load->layouts = calloc(1, sizeof(*load->layouts));
    if (load->layouts == NULL)
        return nsys_no_memory(load);
    return nsys_db_read(&load->db, readers, load);
}

/* ---- Order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_keys(const struct layout_key *a, const struct layout_key *b)
{
    int order = compare_numbers(a->kind, b->kind);
    if (order == 0)
        order = compare_numbers(a->process, b->process);
    if (order == 0)
        order = compare_numbers(a->domain, b->domain);
    return order != 0 ? order : compare_numbers(a->id, b->id);
}

static int compare_heads(const void *left, const void *right)
{
    const struct layout_head *a = left, *b = right;
    int order = compare_keys(&a->key, &b->key);
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

static int compare_parts(const void *left, const void *right)
{
    const struct layout_part *a = left, *b = right;
    int order = compare_keys(&a->key, &b->key);
    if (order == 0)
        order = compare_numbers(a->index, b->index);
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

/* Keeps the last one of those with one key and index. */
static void drop_repeated_parts(struct nsys_layouts *all)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n_parts; i++) {
        const struct layout_part *part = &all->part[i];
        if (i + 1 < all->n_parts && part->index == part[1].index &&
            compare_keys(&part->key, &part[1].key) == 0)
            continue;
        all->part[n++] = *part;
    }
    all->n_parts = n;
}

/* ---- Definitions ---- */

/* The bytes of a definition. */
struct building {
    const rf_recording *rec;
    uint8_t *bytes;
    size_t n, room;
    bool is_out_of_memory;
};

static void put(struct building *to, const void *bytes, size_t size)
{
    if (to->room - to->n < size) {
        size_t room = 2 * to->room + size + 1024;
        uint8_t *more = realloc(to->bytes, room);
        to->is_out_of_memory |= more == NULL;
        if (more == NULL)
            return;
        to->bytes = more;
        to->room = room;
    }
    memcpy(to->bytes + to->n, bytes, size);
    to->n += size;
}

/* Adds a text. Returns where it stands; 0: there is none. */
static uint32_t put_text(struct building *to, uint32_t string)
{
    size_t size, at = to->n;
    const char *text = rf_string(to->rec, string, &size);
    if (text == NULL || at > UINT32_MAX)
        return 0;
    put(to, text, size);
    put(to, "", 1);
    return (uint32_t)at;
}

/* The parts of a schema that follow each other from 0 on. */
static uint32_t count_entries(const struct layout_head *head, const struct layout_part *part,
                              uint32_t n)
{
    uint32_t most = head->has_n && head->n_entries < n ? (uint32_t)head->n_entries : n;
    uint32_t count = 0;
    while (count < most && part[count].index == count)
        count++;
    return count;
}

/* A schema of which entries are missing has the type 0: what is laid out by it is shown as bytes.
 */
static void build_schema(struct building *to, const struct layout_head *head,
                         const struct layout_part *part, uint32_t n_parts)
{
    uint32_t n = count_entries(head, part, n_parts);
    bool is_whole = head->has_n ? n == head->n_entries : n == n_parts;
    struct rf_schema_def def = {.flags = head->flags,
                                .static_size = head->size,
                                .pack_align = head->align,
                                .type =
                                    is_whole && head->type <= UINT32_MAX ? (uint32_t)head->type : 0,
                                .n_entries = n};
    const size_t begin = to->n;
    put(to, &def, sizeof(def));
    for (uint32_t i = 0; i < n && !to->is_out_of_memory; i++) {
        const struct rf_schema_entry entry = {.flags = part[i].word[0],
                                              .type = part[i].word[1],
                                              .detail = part[i].word[2],
                                              .offset = part[i].word[3]};
        put(to, &entry, sizeof(entry));
    }
    def.name = put_text(to, head->name);
    for (uint32_t i = 0; i < n && !to->is_out_of_memory; i++) {
        uint32_t text[] = {put_text(to, part[i].name), put_text(to, part[i].description)};
        size_t at = begin + sizeof(def) + i * sizeof(struct rf_schema_entry);
        if (!to->is_out_of_memory)
            memcpy(to->bytes + at + offsetof(struct rf_schema_entry, name), text, sizeof(text));
    }
    if (!to->is_out_of_memory)
        memcpy(to->bytes + begin, &def, sizeof(def));
}

static void build_enum(struct building *to, const struct layout_head *head,
                       const struct layout_part *part, uint32_t n)
{
    struct rf_enum_def def = {.size = head->size, .n_entries = n};
    const size_t begin = to->n;
    put(to, &def, sizeof(def));
    for (uint32_t i = 0; i < n && !to->is_out_of_memory; i++) {
        const struct rf_enum_entry entry = {.value = part[i].word[0],
                                            .is_flag = part[i].word[1] != 0};
        put(to, &entry, sizeof(entry));
    }
    def.name = put_text(to, head->name);
    for (uint32_t i = 0; i < n && !to->is_out_of_memory; i++) {
        uint32_t text = put_text(to, part[i].name);
        size_t at = begin + sizeof(def) + i * sizeof(struct rf_enum_entry);
        if (!to->is_out_of_memory)
            memcpy(to->bytes + at + offsetof(struct rf_enum_entry, name), &text, sizeof(text));
    }
    if (!to->is_out_of_memory)
        memcpy(to->bytes + begin, &def, sizeof(def));
}

/* Finds the process and domain of a key; false: the file has nothing of them. */
static bool find_owner(const struct nsys_load *load, const struct layout_key *key,
                       struct rf_nvtx_definition *definition)
{
    definition->process = RF_NO_INDEX;
    definition->domain = (uint32_t)key->domain;
    if (key->process == EVERY_PROCESS)
        return true;
    uint32_t process = rf_map_find(&load->process_of, key->process, 0);
    if (process == RF_MAP_NONE)
        return false;
    definition->process = load->process[process].place;
    definition->domain = key->domain == 0 ? load->process[process].default_domain
                                          : rf_map_find(&load->domain_of, process, key->domain);
    return definition->domain < load->rec->n_domains;
}

static int define(struct nsys_load *load, struct building *with, const struct layout_head *head,
                  const struct layout_part *part, uint32_t n)
{
    const char *const table =
        head->key.kind == RF_NVTX_DEF_SCHEMA ? "NVTX_PAYLOAD_SCHEMAS" : "NVTX_PAYLOAD_ENUMS";
    struct rf_nvtx_definition definition = {.id = head->key.id, .kind = (uint32_t)head->key.kind};
    if (!find_owner(load, &head->key, &definition)) {
        nsys_db_skip(&load->db, table, "of a domain that has no events: left out", 1);
        return RF_OK;
    }
    with->n = 0;
    if (head->key.kind == RF_NVTX_DEF_SCHEMA)
        build_schema(with, head, part, n);
    else
        build_enum(with, head, part, n);
    if (with->is_out_of_memory)
        return nsys_no_memory(load);
    if (with->n > UINT32_MAX || n > MANY_ENTRIES) {
        nsys_db_skip(&load->db, table, "too large: left out", 1);
        return RF_OK;
    }
    definition.bytes = with->bytes;
    definition.size = (uint32_t)with->n;
    return nsys_memory_status(load, rf_nvtx_define(load->rec, &definition) == RF_OK);
}

/* Heads and parts are in the same order, so that each is passed once. */
static int define_all(struct nsys_load *load)
{
    struct nsys_layouts *all = load->layouts;
    struct building with = {.rec = load->rec};
    uint32_t first = 0, end = 0;
    int status = RF_OK;
    for (uint32_t i = 0; i < all->n_heads && status == RF_OK; i++) {
        const struct layout_head *head = &all->head[i];
        if (i + 1 < all->n_heads && compare_keys(&head->key, &head[1].key) == 0)
            continue;
        first = end;
        while (first < all->n_parts && compare_keys(&all->part[first].key, &head->key) < 0)
            first++;
        end = first;
        while (end < all->n_parts && compare_keys(&all->part[end].key, &head->key) == 0)
            end++;
        const struct layout_part *part = end > first ? &all->part[first] : NULL;
        status = define(load, &with, head, part, end - first);
    }
    free(with.bytes);
    return status;
}

static int define_sizes(struct nsys_load *load)
{
    struct nsys_layouts *all = load->layouts;
    int status = RF_OK;
    for (uint32_t i = 0; i < all->n_sizes && status == RF_OK; i++) {
        uint32_t process = rf_map_find(&load->process_of, all->sizes[i].process, 0);
        if (process == RF_MAP_NONE)
            continue;
        const struct rf_nvtx_definition definition = {.process = load->process[process].place,
                                                      .kind = RF_NVTX_DEF_TYPE_SIZES,
                                                      .size = sizeof(all->sizes[i].size),
                                                      .bytes = (uint8_t *)all->sizes[i].size};
        status = rf_nvtx_define(load->rec, &definition);
    }
    return nsys_memory_status(load, status == RF_OK);
}

static int keep_strings(struct nsys_load *load)
{
    struct nsys_layouts *all = load->layouts;
    rf_recording *rec = load->rec;
    if (all->n_strings > 0 && rec->payloads == NULL)
        rec->payloads = calloc(1, sizeof(*rec->payloads));
    if (all->n_strings > 0 && rec->payloads == NULL)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < all->n_strings; i++) {
        const struct layout_string *string = &all->string[i];
        uint32_t process = rf_map_find(&load->process_of, string->process, 0);
        if (process != RF_MAP_NONE &&
            rf_map_set(&rec->payloads->string_of, load->process[process].place, string->handle,
                       string->string) != RF_OK)
            return nsys_no_memory(load);
    }
    return RF_OK;
}

int nsys_finish_layouts(struct nsys_load *load)
{
    struct nsys_layouts *all = load->layouts;
    if (all->n_heads > 0)
        qsort(all->head, all->n_heads, sizeof(*all->head), compare_heads);
    if (all->n_parts > 0)
        qsort(all->part, all->n_parts, sizeof(*all->part), compare_parts);
    drop_repeated_parts(all);
    int status = define_all(load);
    if (status == RF_OK)
        status = define_sizes(load);
    if (status == RF_OK)
        status = nsys_memory_status(load, rf_payload_schemas_lay_out(load->rec) == RF_OK);
    return status == RF_OK ? keep_strings(load) : status;
}

void nsys_layouts_free(struct nsys_layouts *all)
{
    if (all == NULL)
        return;
    free(all->head);
    free(all->part);
    free(all->sizes);
    rf_map_release(&all->sizes_of);
    free(all->string);
    free(all);
}
