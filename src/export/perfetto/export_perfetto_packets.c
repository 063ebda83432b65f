/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a sequence, gathered to blocks of BLOCK bytes. Names, categories and the like are
 * written once and referred to by number; after MAX_DEFINED of them, or MAX_TEXT bytes, the reader
 * is told to forget them all. */
#include "export/perfetto/export_perfetto_packets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/export_perfetto_turns.h"
#include "model/fields/fields.h"

#define BLOCK       RF_SINK_CAPACITY /* a sink hands it on as it is */
#define MAX_WORD    (RF_SINK_CAPACITY / 4)
#define MAX_DEFINED ((size_t)1 << 16)
#define MAX_TEXT    ((size_t)32 << 20)

enum { STATE_CLEARED = 1, NEEDS_STATE = 2, SIZE_OF_FLAGS = 2 };

/* Fields of InternedData; what most of its messages look like. */
enum { IID = 1, TEXT = 2 };

static const uint32_t field_of_set[PF_N_SETS] = {
    [PF_CATEGORIES] = 1, [PF_NAMES] = 2,      [PF_ANNOTATIONS] = 3,
    [PF_VALUES] = 29,    [PF_ARGS] = 1001,    [PF_CONTEXTS] = 23,
    [PF_SPECS] = 24,     [PF_KERNELS] = 1000, [PF_COUNTERS] = 47,
};

static const char *const categories[PF_CAT_FURTHER_WORK] = {
    [PF_CAT_NVTX] = "nvtx",
    [PF_CAT_SYNC] = "nvtx.sync",
    [PF_CAT_CUDA] = "cuda_api",
    [PF_CAT_OS] = "osrt",
    [PF_CAT_PROJECTION] = "nvtx_gpu_projection",
    [PF_CAT_RECORDING] = "recording",
};

static const char *const keys[PF_KEY_LAST] = {
#define WORD_OF_KEY(name, word) [PF_KEY_##name] = word,
    PF_KEYS(WORD_OF_KEY)
#undef WORD_OF_KEY
};

static const char *const fixed_names[PF_NAME_LAST] = {
    [PF_NAME_NULL] = "(null)",
    [PF_NAME_RECORDING] = "recording",
    [PF_NAME_CAPTURE] = "capture",
};

/* ---- Memory ---- */

static size_t n_of_set(const struct pf_writer *to, enum pf_set set)
{
    if (set == PF_CONTEXTS || set == PF_SPECS)
        return (size_t)rf_n_gpu_tracks(to->rec) * 2 + 64;
    if (set == PF_COUNTERS)
        return (size_t)rf_n_counters(to->rec) + 1;
    if (set == PF_NAMES || set == PF_VALUES || set == PF_KERNELS)
        return (size_t)rf_n_strings(to->rec) + PF_NAME_FIRST_STRING + 1;
    return PF_MAX_KEYS;
}

_Static_assert(PF_KEY_LAST <= PF_MAX_KEYS && PF_CAT_FURTHER_WORK + RF_MAX_KINDS <= PF_MAX_KEYS,
               "n_of_set()");

static int words_overflow(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context; /* what is too long to be put together is cut */
    (void)data;
    (void)size;
    (void)err;
    return RF_OK;
}

/* What rf_proto_begin_wide() and rf_proto_u64() would write, at once: every event has it. */
static void make_head(struct pf_writer *to)
{
    uint8_t *out = to->head;
    *out++ = PF_TRACE_PACKET << 3 | RF_WIRE_BYTES;
    *out++ = 0; /* two bytes for the size, see pf_end_packet() */
    *out++ = 0;
    *out++ = PF_PACKET_SEQUENCE_ID << 3 | RF_WIRE_VARINT;
    for (uint64_t id = to->first_sequence + (uint64_t)to->half;; id >>= 7) {
        *out++ = (uint8_t)(id < 0x80 ? id : (id & 0x7f) | 0x80);
        if (id < 0x80)
            break;
    }
    *out++ = PF_PACKET_SEQUENCE_FLAGS << 3 | RF_WIRE_VARINT; /* these are SIZE_OF_FLAGS */
    *out++ = NEEDS_STATE;
    to->head_size = (size_t)(out - to->head);
}

int pf_packets_init(struct pf_writer *to)
{
    memset(&to->known, 0, sizeof(to->known));
    memset(&to->words, 0, sizeof(to->words));
    bool has_all = rf_proto_init(&to->packet);
    has_all &= rf_proto_init(&to->interned);
    to->known.defined = malloc((MAX_DEFINED + 4096) * sizeof(*to->known.defined));
    has_all &= to->known.defined != NULL;
    for (int set = 0; set < PF_N_SETS; set++) {
        to->known.bits[set] = calloc(n_of_set(to, (enum pf_set)set) / 64 + 1, sizeof(uint64_t));
        has_all &= to->known.bits[set] != NULL;
    }
    make_head(to);
    to->n_strings = rf_n_strings(to->rec);
    memcpy(to->keys, keys, sizeof(keys));
    to->n_keys = PF_KEY_LAST;
    if (!has_all)
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    return rf_sink_init(&to->words, words_overflow, NULL, to->job->err);
}

void pf_packets_release(struct pf_writer *to)
{
    rf_proto_release(&to->packet);
    rf_proto_release(&to->interned);
    free(to->known.defined);
    for (int set = 0; set < PF_N_SETS; set++)
        free(to->known.bits[set]);
    rf_sink_release(&to->words);
}

/* ---- Packets ---- */

int pf_flush(struct pf_writer *to)
{
    if (to->packet.has_failed || to->interned.has_failed)
        return pf_fail_memory(to);
    (void)pf_fail(to, pf_write_block(to));
    to->packet.used = 0;
    return to->status;
}

static void forget_all(struct pf_writer *to)
{
    struct pf_interning *known = &to->known;
    for (size_t i = 0; i < known->n_defined; i++)
        known->bits[known->defined[i].set][known->defined[i].iid / 64] = 0;
    known->n_defined = 0;
    known->text_bytes = 0;
    known->generation++;
    size_t begin = rf_proto_begin(&to->packet, PF_TRACE_PACKET);
    rf_proto_u64(&to->packet, PF_PACKET_SEQUENCE_ID, to->first_sequence + (uint64_t)to->half);
    rf_proto_u64(&to->packet, PF_PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    if (known->generation == 1)
        rf_proto_u64(&to->packet, PF_PACKET_FIRST_ON_SEQUENCE, 1);
    rf_proto_end(&to->packet, begin);
}

void pf_begin_packet(struct pf_writer *to)
{
    if (to->known.n_defined >= MAX_DEFINED || to->known.text_bytes >= MAX_TEXT ||
        to->known.generation == 0)
        forget_all(to);
    to->packet_begin = 0;
    if (!rf_proto_room(&to->packet, RF_PROTO_MAX_FIELD))
        return;
    memcpy(to->packet.data + to->packet.used, to->head, sizeof(to->head));
    to->packet_begin = to->packet.used + 3;
    to->packet.used += to->head_size;
}

void pf_begin_packet_at(struct pf_writer *to, int64_t at_ns)
{
    pf_begin_packet(to);
    rf_proto_u64(&to->packet, PF_PACKET_TIMESTAMP, (uint64_t)to->base_ns + (uint64_t)at_ns);
}

int pf_end_packet(struct pf_writer *to)
{
    if (to->interned.used > 0) {
        rf_proto_bytes(&to->packet, PF_PACKET_INTERNED_DATA, to->interned.data, to->interned.used);
        to->interned.used = 0;
    }
    rf_proto_end_wide(&to->packet, to->packet_begin);
    return to->packet.used >= BLOCK || to->packet.has_failed ? pf_flush(to) : to->status;
}

size_t pf_begin_event(struct pf_writer *to, int64_t at_ns, enum pf_event_type type, uint64_t uuid,
                      unsigned category)
{
    pf_begin_packet_at(to, at_ns);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_TRACK_EVENT);
    rf_proto_u64(&to->packet, PF_EVENT_TYPE, type);
    rf_proto_u64(&to->packet, PF_EVENT_TRACK_UUID, uuid);
    if (category != 0)
        rf_proto_u64(&to->packet, PF_EVENT_CATEGORY_IIDS, pf_category(to, category));
    return begin;
}

int pf_end_message(struct pf_writer *to, size_t begin)
{
    rf_proto_end(&to->packet, begin);
    return pf_end_packet(to);
}

/* Half of all packets are ends. They need no definitions, and one byte for the size. */
void pf_put_end(struct pf_writer *to, int64_t at_ns, uint64_t uuid)
{
    struct rf_proto *packet = &to->packet;
    if (to->known.generation == 0)
        forget_all(to); /* the first packet of a sequence says so */
    size_t begin = rf_proto_begin(packet, PF_TRACE_PACKET);
    rf_proto_append(packet, to->head + 3, to->head_size - 3 - SIZE_OF_FLAGS);
    rf_proto_u64(packet, PF_PACKET_TIMESTAMP, (uint64_t)to->base_ns + (uint64_t)at_ns);
    size_t event = rf_proto_begin(packet, PF_PACKET_TRACK_EVENT);
    rf_proto_u64(packet, PF_EVENT_TYPE, PF_END);
    rf_proto_u64(packet, PF_EVENT_TRACK_UUID, uuid);
    rf_proto_end(packet, event);
    rf_proto_end(packet, begin);
    if (packet->used >= BLOCK || packet->has_failed)
        (void)pf_flush(to);
}

/* ---- What is interned ---- */

void pf_define(struct pf_writer *to, enum pf_set set, uint64_t iid)
{
    struct pf_interning *known = &to->known;
    known->bits[set][iid / 64] |= (uint64_t)1 << (iid % 64);
    known->defined[known->n_defined++] = (struct pf_definition){iid, set};
}

size_t pf_begin_definition(struct pf_writer *to, enum pf_set set, uint64_t iid)
{
    pf_define(to, set, iid);
    size_t begin = rf_proto_begin(&to->interned, field_of_set[set]);
    rf_proto_u64(&to->interned, IID, iid);
    return begin;
}

static void define_text(struct pf_writer *to, enum pf_set set, uint64_t iid, const char *text,
                        size_t size)
{
    size_t begin = pf_begin_definition(to, set, iid);
    rf_proto_text(&to->interned, TEXT, text, size);
    rf_proto_end(&to->interned, begin);
    to->known.text_bytes += size;
}

void pf_define_key(struct pf_writer *to, enum pf_set set, enum pf_key key)
{
    define_text(to, set, key, to->keys[key], strlen(to->keys[key]));
}

enum pf_key pf_add_key(struct pf_writer *to, const char *word)
{
    for (uint32_t key = PF_KEY_DOMAIN; key < to->n_keys; key++)
        if (strcmp(to->keys[key], word) == 0)
            return (enum pf_key)key;
    assert(to->n_keys < PF_MAX_KEYS);
    to->keys[to->n_keys] = word;
    return (enum pf_key)to->n_keys++;
}

/* The number of a string, or 0 where there is none. */
static uint64_t intern_string(struct pf_writer *to, enum pf_set set, uint32_t string)
{
    size_t size;
    uint64_t iid = (uint64_t)string + PF_NAME_FIRST_STRING;
    if (string >= to->n_strings)
        return 0;
    if (pf_is_known(to, set, iid))
        return iid;
    const char *text = rf_string(to->rec, string, &size);
    if (text == NULL)
        return 0;
    define_text(to, set, iid, text, size);
    return iid;
}

uint64_t pf_name(struct pf_writer *to, uint32_t string)
{
    uint64_t iid = intern_string(to, PF_NAMES, string);
    return iid != 0 ? iid : pf_fixed_name(to, PF_NAME_NULL);
}

uint64_t pf_fixed_name(struct pf_writer *to, enum pf_fixed_name name)
{
    if (!pf_is_known(to, PF_NAMES, name))
        define_text(to, PF_NAMES, name, fixed_names[name], strlen(fixed_names[name]));
    return name;
}

static const char *category_name(unsigned category)
{
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++)
        if (pf_category_of_work(kind) == category)
            return rf_op_fields.kind[kind].perfetto;
    return categories[category];
}

uint64_t pf_category(struct pf_writer *to, unsigned category)
{
    if (!pf_is_known(to, PF_CATEGORIES, category)) {
        const char *name = category_name(category);
        define_text(to, PF_CATEGORIES, category, name, strlen(name));
    }
    return category;
}

void pf_put_name(struct pf_writer *to, uint32_t string)
{
    rf_proto_u64(&to->packet, PF_EVENT_NAME_IID, pf_name(to, string));
}

/* ---- Annotations and arguments ---- */

void pf_put_double(struct pf_writer *to, enum pf_kind kind, enum pf_key key, double value)
{
    size_t begin = pf_begin_value(to, kind, key);
    rf_proto_double(&to->packet, 5, value);
    rf_proto_end(&to->packet, begin);
}

void pf_put_text(struct pf_writer *to, enum pf_kind kind, enum pf_key key, const char *text,
                 size_t size)
{
    size_t begin = pf_begin_value(to, kind, key);
    rf_proto_text(&to->packet, PF_VALUE_TEXT, text, size);
    rf_proto_end(&to->packet, begin);
}

void pf_put_words(struct pf_writer *to, enum pf_kind kind, enum pf_key key, const char *text)
{
    pf_put_text(to, kind, key, text, strlen(text));
}

void pf_put_string(struct pf_writer *to, enum pf_kind kind, enum pf_key key, uint32_t string)
{
    uint64_t iid = intern_string(to, PF_VALUES, string);
    if (iid != 0)
        pf_put_number(to, kind, key, kind == PF_ARGUMENT ? 7 : 17, iid);
}

void pf_put_sunk(struct pf_writer *to, enum pf_kind kind, enum pf_key key)
{
    pf_put_text(to, kind, key, to->words.buffer, to->words.used);
    to->words.used = 0;
}

/* ---- Words ---- */

size_t pf_put_whole(const struct pf_writer *to, struct rf_proto *into, uint32_t field,
                    uint32_t string)
{
    size_t size = 0;
    const char *text = rf_string(to->rec, string, &size);
    if (text != NULL)
        rf_proto_text(into, field, text, size);
    return size;
}

void pf_sink_string(struct pf_writer *to, uint32_t string)
{
    size_t size;
    const char *text = rf_string(to->rec, string, &size);
    if (text != NULL)
        rf_sink_bytes(&to->words, text, size < MAX_WORD ? size : MAX_WORD);
}

void pf_take_words(struct pf_writer *to, struct rf_proto *into, uint32_t field)
{
    rf_proto_text(into, field, to->words.buffer, to->words.used);
    to->words.used = 0;
}
