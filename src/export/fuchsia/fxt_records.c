/* SPDX-License-Identifier: Apache-2.0 */
#include "export/fuchsia/fxt_records.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/map.h"

enum record_type { INITIALIZATION = 1, STRING = 2, EVENT = 4, KERNEL_OBJECT = 7 };
enum object_type { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
enum arg_type {
    ARG_INT32 = 1,
    ARG_UINT32 = 2,
    ARG_INT64 = 3,
    ARG_UINT64 = 4,
    ARG_DOUBLE = 5,
    ARG_STRING = 6,
    ARG_POINTER = 7,
    ARG_KOID = 8,
    ARG_BOOL = 9,
};

#define MAGIC            UINT64_C(0x0016547846040010)
#define TICKS_PER_SECOND UINT64_C(1000000000)
#define WORD             sizeof(uint64_t)
#define MAX_STRINGS      32767
#define MANY_BYTES       ((size_t)16 << 20) /* of texts: then the table begins anew */
#define ITEM_STRINGS     256                /* an item has fewer */

/* ---- Words ---- */

static void put_word(struct rf_sink *sink, uint64_t word)
{
    word = htole64(word);
    memcpy(rf_sink_reserve(sink, WORD), &word, WORD);
    sink->used += WORD;
}

static size_t words_of(size_t size)
{
    return (size + WORD - 1) / WORD;
}

static uint64_t head_of(enum record_type type, size_t n_words)
{
    return (uint64_t)type | (uint64_t)n_words << 4;
}

/* ---- The table of strings ---- */

/* Of a text that is too long the beginning, up to a whole character. */
static size_t shown_size(const char *text, size_t size)
{
    if (size <= FXT_MAX_TEXT)
        return size;
    size = FXT_MAX_TEXT;
    while (size > FXT_MAX_TEXT - 4 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

static void put_string(struct fxt *fxt, uint32_t index, const char *text, size_t size)
{
    static const char zeros[WORD];
    put_word(fxt->sink,
             head_of(STRING, 1 + words_of(size)) | (uint64_t)index << 16 | (uint64_t)size << 32);
    rf_sink_bytes(fxt->sink, text, size);
    rf_sink_bytes(fxt->sink, zeros, words_of(size) * WORD - size);
}

uint16_t fxt_text(struct fxt *fxt, const char *text, size_t size)
{
    uint32_t n = fxt->strings.n;
    size = shown_size(text, size);
    if (!rf_is_utf8(text, size)) {
        size = rf_utf8_replace(fxt->clean, text, size);
        text = fxt->clean;
        size = shown_size(text, size);
    }
    if (size == 0)
        return 0;
    uint32_t id = rf_strings_add(&fxt->strings, text, size);
    if (id >= MAX_STRINGS) { /* RF_NO_STRING too */
        fxt->has_no_memory = true;
        return 0;
    }
    if (id == n) {
        put_string(fxt, id + 1, text, size);
        fxt->n_bytes += size;
    }
    return (uint16_t)(id + 1);
}

uint16_t fxt_string(struct fxt *fxt, uint32_t string, const char *otherwise)
{
    size_t size;
    const char *text = rf_string(fxt->rec, string, &size);
    if (text == NULL)
        return fxt_words(fxt, otherwise);
    if (fxt->of_string[string] == 0)
        fxt->of_string[string] = fxt_text(fxt, text, size);
    return fxt->of_string[string];
}

void fxt_keep(struct fxt *fxt)
{
    fxt->n_kept = fxt->strings.n;
}

/* Begins a full table anew, with those that are kept. */
void fxt_next_item(struct fxt *fxt)
{
    struct rf_strings old = fxt->strings;
    if (old.n <= MAX_STRINGS - ITEM_STRINGS && fxt->n_bytes < MANY_BYTES)
        return;
    fxt->n_bytes = 0;
    rf_strings_init(&fxt->strings, rf_hash_seed());
    for (uint32_t i = 0; i < fxt->n_kept; i++)
        fxt->has_no_memory |=
            rf_strings_add(&fxt->strings, old.entry[i].text, old.entry[i].size) == RF_NO_STRING;
    rf_strings_release(&old);
    memset(fxt->of_string, 0, rf_n_strings(fxt->rec) * sizeof(*fxt->of_string));
}

/* ---- Texts that are put together ---- */

struct rf_sink *fxt_compose(struct fxt *fxt)
{
    (void)rf_json_text_begin(&fxt->text); /* fxt_init() did it once: it has memory */
    return &fxt->text.sink;
}

const char *fxt_composed_text(struct fxt *fxt, size_t *size)
{
    const char *text = rf_json_text_end(&fxt->text, size);
    fxt->has_no_memory |= text == NULL;
    return text;
}

uint16_t fxt_composed(struct fxt *fxt)
{
    size_t size;
    const char *text = fxt_composed_text(fxt, &size);
    return text != NULL ? fxt_text(fxt, text, size) : 0;
}

/* ---- The frame ---- */

int fxt_init(struct fxt *fxt, const rf_recording *rec, struct rf_sink *sink)
{
    memset(fxt, 0, sizeof(*fxt));
    fxt->sink = sink;
    fxt->rec = rec;
    rf_strings_init(&fxt->strings, rf_hash_seed());
    fxt->of_string = calloc((size_t)rf_n_strings(rec) + 1, sizeof(*fxt->of_string));
    put_word(sink, MAGIC);
    put_word(sink, head_of(INITIALIZATION, 2));
    put_word(sink, TICKS_PER_SECOND);
    fxt->more = fxt_words(fxt, "more");
    bool has_memory = rf_json_text_begin(&fxt->text) == RF_OK && fxt->of_string != NULL;
    return has_memory && !fxt->has_no_memory ? RF_OK : RF_ERR_NO_MEMORY;
}

void fxt_release(struct fxt *fxt)
{
    rf_strings_release(&fxt->strings);
    rf_json_text_release(&fxt->text);
    free(fxt->of_string);
}

void fxt_name_process(struct fxt *fxt, uint32_t pid, const char *name, size_t size)
{
    uint16_t text = fxt_text(fxt, name, size);
    put_word(fxt->sink,
             head_of(KERNEL_OBJECT, 2) | (uint64_t)OBJECT_PROCESS << 16 | (uint64_t)text << 24);
    put_word(fxt->sink, pid);
}

void fxt_name_thread(struct fxt *fxt, const struct fxt_thread *thread, uint16_t process,
                     const char *name, size_t size)
{
    uint16_t text = fxt_text(fxt, name, size);
    put_word(fxt->sink, head_of(KERNEL_OBJECT, 4) | (uint64_t)OBJECT_THREAD << 16 |
                            (uint64_t)text << 24 | UINT64_C(1) << 40);
    put_word(fxt->sink, thread->tid);
    put_word(fxt->sink, (uint64_t)ARG_KOID | 2 << 4 | (uint64_t)process << 16);
    put_word(fxt->sink, thread->pid);
}

/* ---- Events ---- */

#define MOST_ARGS ((size_t)15)

void fxt_begin(struct fxt *fxt, enum fxt_event_type type, const struct fxt_thread *of,
               uint16_t category, int64_t at_ns)
{
    fxt->head = (uint64_t)type << 16 | (uint64_t)category << 32;
    fxt->of = *of;
    fxt->at_ns = at_ns;
    fxt->n_args = 0;
}

void fxt_name(struct fxt *fxt, uint16_t name)
{
    fxt->head |= (uint64_t)name << 48;
}

static void add_arg(struct fxt *fxt, enum arg_type type, uint16_t key, uint64_t value)
{
    assert(fxt->n_args < FXT_MAX_ARGS);
    fxt->arg[fxt->n_args++] = (struct fxt_arg){(uint8_t)type, key, value};
}

void fxt_u64(struct fxt *fxt, uint16_t key, uint64_t value)
{
    add_arg(fxt, value <= UINT32_MAX ? ARG_UINT32 : ARG_UINT64, key, value);
}

void fxt_i64(struct fxt *fxt, uint16_t key, int64_t value)
{
    bool is_small = value >= INT32_MIN && value <= INT32_MAX;
    add_arg(fxt, is_small ? ARG_INT32 : ARG_INT64, key, (uint64_t)value);
}

void fxt_double(struct fxt *fxt, uint16_t key, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    add_arg(fxt, ARG_DOUBLE, key, bits);
}

void fxt_pointer(struct fxt *fxt, uint16_t key, uint64_t value)
{
    add_arg(fxt, ARG_POINTER, key, value);
}

void fxt_true(struct fxt *fxt, uint16_t key)
{
    add_arg(fxt, ARG_BOOL, key, 1);
}

void fxt_arg_text(struct fxt *fxt, uint16_t key, uint16_t text)
{
    add_arg(fxt, ARG_STRING, key, text);
}

static void print_value(struct rf_sink *sink, const struct fxt *fxt, const struct fxt_arg *arg)
{
    double real;
    switch (arg->type) {
    case ARG_STRING:
        if (arg->value != 0)
            rf_sink_text(sink, fxt->strings.entry[arg->value - 1].text);
        break;
    case ARG_DOUBLE:
        memcpy(&real, &arg->value, sizeof(real));
        rf_sink_double(sink, real);
        break;
    case ARG_POINTER:
        rf_sink_hex(sink, arg->value);
        break;
    case ARG_INT32:
    case ARG_INT64:
        rf_sink_i64(sink, (int64_t)arg->value);
        break;
    default:
        rf_sink_u64(sink, arg->value);
        break;
    }
}

/* The last argument that an event may have becomes a text with all from there on: "key=value, ...".
 */
static void join_args(struct fxt *fxt)
{
    struct rf_sink *sink = fxt_compose(fxt);
    for (size_t i = MOST_ARGS - 1; i < fxt->n_args; i++) {
        const struct fxt_arg *arg = &fxt->arg[i];
        if (i >= MOST_ARGS)
            rf_sink_text(sink, ", ");
        rf_sink_text(sink, fxt->strings.entry[arg->key - 1].text);
        rf_sink_char(sink, '=');
        print_value(sink, fxt, arg);
    }
    fxt->n_args = MOST_ARGS - 1;
    fxt_arg_text(fxt, fxt->more, fxt_composed(fxt));
}

/* Small values stand in the head of an argument. */
static bool is_in_head(const struct fxt_arg *arg)
{
    return arg->type == ARG_INT32 || arg->type == ARG_UINT32 || arg->type == ARG_STRING ||
           arg->type == ARG_BOOL;
}

static void put_args(struct fxt *fxt)
{
    for (size_t i = 0; i < fxt->n_args; i++) {
        const struct fxt_arg *arg = &fxt->arg[i];
        uint64_t head = (uint64_t)arg->type | (uint64_t)arg->key << 16;
        if (is_in_head(arg)) {
            put_word(fxt->sink, head | 1 << 4 | arg->value << 32);
        } else {
            put_word(fxt->sink, head | 2 << 4);
            put_word(fxt->sink, arg->value);
        }
    }
}

static size_t words_of_args(const struct fxt *fxt)
{
    size_t n = 0;
    for (size_t i = 0; i < fxt->n_args; i++)
        n += is_in_head(&fxt->arg[i]) ? 1 : 2;
    return n;
}

/* The thread stands in the event: of one in the format's table of threads Perfetto keeps a copy for
 * each event, in memory of its own. */
static void put_event(struct fxt *fxt, size_t n_last)
{
    if (fxt->n_args > MOST_ARGS)
        join_args(fxt);
    put_word(fxt->sink, head_of(EVENT, 4 + words_of_args(fxt) + n_last) | fxt->head |
                            (uint64_t)fxt->n_args << 20);
    put_word(fxt->sink, (uint64_t)fxt->at_ns);
    put_word(fxt->sink, fxt->of.pid);
    put_word(fxt->sink, fxt->of.tid);
    put_args(fxt);
}

void fxt_end(struct fxt *fxt, uint64_t last)
{
    put_event(fxt, 1);
    put_word(fxt->sink, last);
}

void fxt_end_instant(struct fxt *fxt)
{
    put_event(fxt, 0);
}
