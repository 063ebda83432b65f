/* SPDX-License-Identifier: Apache-2.0 */
/* The input is schemas, enums and sizes of types, then payloads and what they point to, each behind
 * a byte that says which. They are decoded as the payloads of one call. Values must be balanced,
 * have names where they need them, and lie in the bytes that there are. Their columns are read,
 * too, and the input and what it decodes to as JSON. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/payload/payload_cells.h"
#include "model/payload/payload_from_json.h"
#include "model/payload/payload_json.h"
#include "model/payload/payload_visit.h"
#include "model/recording.h"
#include "model/recording_close.h"

#define ID(n)     (RF_NVTX_DYNAMIC_IDS + (n))
#define MAX_ITEMS 8

struct input {
    const uint8_t *at;
    size_t left;
};

static uint64_t take(struct input *in, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n && in->left > 0; i++, in->left--)
        value = value << 8 | *in->at++;
    return value;
}

/* Small numbers are types and lengths; large ones schemas of the input, or edges. */
static uint64_t number(struct input *in)
{
    static const uint64_t edges[] = {UINT64_MAX, 1ULL << 40, 1ULL << 63, 1022, 1023, 1ULL << 24};
    uint64_t byte = take(in, 1);
    return byte < 200 ? byte : byte < 248 ? ID(byte - 200) : edges[(byte - 248) % 6];
}

static void define(rf_recording *rec, uint32_t kind, uint64_t id, const void *bytes, size_t size)
{
    struct rf_nvtx_definition definition = {.id = id, .kind = kind, .size = (uint32_t)size};
    definition.bytes = (uint8_t *)(uintptr_t)bytes;
    if (rf_nvtx_define(rec, &definition) != RF_OK)
        abort();
}

static void define_schema(rf_recording *rec, struct input *in)
{
    struct {
        struct rf_schema_def head;
        struct rf_schema_entry entry[16];
        char names[32];
    } text = {.names = "name\0other\0"};
    uint64_t id = ID(take(in, 1) % 48);
    text.head.type = (uint32_t)take(in, 1) % 6;
    text.head.flags = take(in, 1);
    text.head.static_size = number(in);
    text.head.pack_align = take(in, 1) & 15;
    text.head.n_entries = (uint32_t)take(in, 1) % 18;
    for (uint32_t i = 0; i < text.head.n_entries && i < 16; i++) {
        struct rf_schema_entry *entry = &text.entry[i];
        entry->flags = take(in, 2);
        entry->type = number(in);
        entry->detail = number(in);
        entry->offset = number(in);
        entry->name = entry->flags >> 15 != 0 ? (uint32_t)offsetof(__typeof__(text), names) : 0;
    }
    define(rec, RF_NVTX_DEF_SCHEMA, id, &text, sizeof(text) - take(in, 1) % 64);
}

/* Definitions whose bytes are those of the input. */
static void define_raw(rf_recording *rec, struct input *in, uint32_t kind)
{
    uint64_t id = ID(take(in, 1) % 48);
    size_t size = (size_t)take(in, 1);
    size = size < in->left ? size : in->left;
    define(rec, kind, id, in->at, size);
    (void)take(in, size);
}

static void add_item(struct rf_payload_item *item, struct input *in, bool is_payload)
{
    *item = (struct rf_payload_item){.kind = is_payload ? RF_DATA_PAYLOAD : RF_DATA_REFERENCE,
                                     .schema = number(in),
                                     .address = take(in, 1) << 4,
                                     .definition = RF_NO_INDEX};
    item->size = take(in, 2);
    item->n_bytes = item->size < in->left ? item->size : in->left;
    uint8_t *bytes = malloc(item->n_bytes + 1); /* so that a sanitizer sees a read beyond it */
    if (bytes == NULL)
        abort();
    memcpy(bytes, in->at, item->n_bytes);
    item->bytes = realloc(bytes, item->n_bytes > 0 ? item->n_bytes : 1);
    in->at += item->n_bytes;
    in->left -= item->n_bytes;
}

struct watch {
    bool is_object[64];
    unsigned depth;
    uint64_t n;
};

static int watch_value(void *context, const struct rf_value *value)
{
    struct watch *w = context;
    volatile uint8_t last;
    if (value->kind == RF_VALUE_END)
        return w->depth-- > 0 ? 0 : (abort(), 1);
    if (w->depth > 0 && w->is_object[w->depth - 1] && value->name == NULL)
        abort();
    if (++w->n > 2000000 || w->depth >= 62)
        abort();
    if (value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY)
        w->is_object[w->depth++] = value->kind == RF_VALUE_OBJECT;
    if ((value->kind == RF_VALUE_TEXT || value->kind == RF_VALUE_BYTES) && value->count > 0) {
        last = value->bytes[value->count - 1];
        (void)last;
    }
    return 0;
}

static void assert_typed(const struct rf_payload_column *column, const struct rf_value *value)
{
    static const uint32_t kinds[] = {[RF_VALUES_INT64] = RF_VALUE_SIGNED,
                                     [RF_VALUES_UINT64] = RF_VALUE_UNSIGNED,
                                     [RF_VALUES_DOUBLE] = RF_VALUE_REAL,
                                     [RF_VALUES_TEXT] = RF_VALUE_TEXT,
                                     [RF_VALUES_JSON] = RF_VALUE_TEXT};
    if (value->kind != RF_VALUE_NULL && value->kind != kinds[column->type])
        abort();
    if (value->kind == RF_VALUE_TEXT && value->text[value->count] != '\0')
        abort();
}

/* Of each column a value, the same one whether it is asked for alone or with the others. */
static void read_columns(const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_payload_column *column;
    rf_payload_columns *columns;
    rf_payload_cells *cells;
    struct rf_value one, other;
    if (rf_payload_columns_new(rec, 64, &columns, NULL) != RF_OK ||
        rf_payload_cells_new(columns, &cells, NULL) != RF_OK)
        abort();
    for (uint32_t i = 0; (column = rf_payload_column_at(columns, i)) != NULL; i++) {
        if (rf_payload_cell(cells, event, i, &one) != RF_OK)
            abort();
        assert_typed(column, &one);
        const struct rf_value *all = rf_payload_cells_of(cells, event);
        if (all == NULL)
            abort();
        other = all[i];
        if (rf_payload_cell_convert(cells, i, &other) != RF_OK || other.kind != one.kind ||
            (one.kind == RF_VALUE_TEXT ? other.count != one.count : other.number != one.number))
            abort();
    }
    rf_payload_cells_free(cells);
    rf_payload_columns_free(columns);
}

/* The same bytes as JSON. */
static int see_leaf(void *context, const char *path, size_t size, const struct rf_value *value)
{
    (void)context;
    (void)value;
    return strnlen(path, size) == size ? 0 : (abort(), 1);
}

static void read_json(const uint8_t *data, size_t size)
{
    struct rf_payload_leaves leaves = {.leaf = NULL};
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (rf_payload_leaves_of_json(&leaves, text, size, see_leaf, NULL) != 0)
        abort();
    rf_payload_leaves_release(&leaves);
    free(text);
}

static void decode(rf_recording *rec, struct rf_payload_group *group)
{
    static struct rf_event event = {
        .kind = RF_EVENT_MARK, .payload_type = RF_TYPE_EXTENDED, .payload = 0};
    struct rf_thread_events events = {.event = &event, .n = 1};
    struct rf_payload_set set = {.begin = *group};
    struct rf_payloads payloads = {.set = &set, .n = 1};
    struct rf_json_text text = {.text = NULL};
    struct watch watch = {.depth = 0};
    size_t size;
    rec->payloads = &payloads;
    if (rf_visit_payloads(rec, &event, 0, watch_value, &watch) != 0 || watch.depth != 0)
        abort();
    if (rf_visit_payloads(rec, &event, RF_VISIT_SHOWN, watch_value, &watch) != 0)
        abort();
    const char *json = rf_json_text_of(&text, rec, &event, 0, &size);
    if (json == NULL || size == 0 || strlen(json) != size)
        abort();
    read_json((const uint8_t *)json, size);
    rf_json_text_release(&text);
    rec->events = &events;
    rec->n_threads = 1;
    read_columns(rec, &event);
    rec->events = NULL;
    rec->n_threads = 0;
    rec->payloads = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    read_json(data, size);
    struct rf_payload_item item[MAX_ITEMS];
    struct rf_payload_group group = {.item = item};
    rf_recording *rec = calloc(1, sizeof(*rec));
    if (rec == NULL)
        return 0;
    rec->process = calloc(1, sizeof(*rec->process));
    rec->domain = calloc(1, sizeof(*rec->domain));
    rec->domain_parent = calloc(1, sizeof(*rec->domain_parent));
    if (rec->process == NULL || rec->domain == NULL || rec->domain_parent == NULL)
        abort();
    rec->n_processes = rec->n_domains = 1;
    rec->process[0].parent = rec->domain_parent[0] = RF_NO_INDEX;
    rec->domain[0] = (struct rf_domain){.name = RF_NO_STRING, .is_valid = 1};
    while (in.left > 0 && group.n < MAX_ITEMS) {
        unsigned what = (unsigned)take(&in, 1) % 6;
        if (what == 0)
            define_schema(rec, &in);
        else if (what < 4)
            define_raw(rec, &in,
                       what == 1   ? RF_NVTX_DEF_ENUM
                       : what == 2 ? RF_NVTX_DEF_SCHEMA
                                   : RF_NVTX_DEF_TYPE_SIZES);
        else
            add_item(&item[group.n++], &in, what == 4);
    }
    if (rf_payload_schemas_lay_out(rec) != RF_OK)
        abort();
    for (uint32_t i = 0; i < group.n; i++) {
        item[i].definition = rf_nvtx_find(rec, RF_NVTX_DEF_SCHEMA, 0, item[i].schema);
        group.n_shown += (uint32_t)rf_payload_is_shown(&item[i]);
        (void)rf_payload_is_sound(rec, &item[i]);
    }
    if (group.n_shown > 0)
        decode(rec, &group);
    for (uint32_t i = 0; i < group.n; i++)
        free((void *)(uintptr_t)item[i].bytes);
    rf_close(rec);
    return 0;
}
