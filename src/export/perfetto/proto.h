/* SPDX-License-Identifier: Apache-2.0 */
/* Writes protocol buffers' wire format into memory that grows and is used again: fields in the
 * order of the calls, nested messages between rf_proto_begin() and rf_proto_end(). Running out of
 * memory sticks in has_failed and drops what was written; callers ask once per message. */
#ifndef RF_EXPORT_PERFETTO_PROTO_H
#define RF_EXPORT_PERFETTO_PROTO_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rf_proto {
    uint8_t *data;
    size_t used;
    size_t capacity;
    bool has_failed;
};

/* What any field but text and bytes may take. */
#define RF_PROTO_MAX_FIELD ((size_t)32)
/* Longer text is cut: no viewer shows a megabyte, and readers refuse huge messages. */
#define RF_PROTO_MAX_TEXT ((size_t)1 << 20)
/* What rf_varint_put() may write to, whatever the value. */
#define RF_VARINT_ROOM ((size_t)10)

enum rf_proto_wire { RF_WIRE_VARINT = 0, RF_WIRE_64 = 1, RF_WIRE_BYTES = 2 };

/* Returns false where there is no memory. */
bool rf_proto_init(struct rf_proto *proto);
void rf_proto_release(struct rf_proto *proto);

/* Makes room for size bytes; returns false where there is no memory. */
bool rf_proto_grow(struct rf_proto *proto, size_t size);

/* Of a number of 9 or 10 bytes. */
size_t rf_varint_put_long(uint8_t *out, uint64_t value);

/* The groups of seven bits are moved apart in three steps, and all eight bytes stored, however many
 * of them count: times are most of what a trace holds, and a loop over their bytes costs more. */
static inline size_t rf_varint_put(uint8_t *out, uint64_t value)
{
    if (value < 0x80) {
        *out = (uint8_t)value;
        return 1;
    }
    if (value >> 56 != 0)
        return rf_varint_put_long(out, value);
    unsigned n_bits = 64 - (unsigned)__builtin_clzll(value);
    unsigned n = (n_bits * 9 + 64) >> 6; /* (n_bits + 6) / 7 */
    value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
    value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
    value = (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
    value |= 0x8080808080808080 & (((uint64_t)1 << (8 * (n - 1))) - 1);
    value = htole64(value);
    memcpy(out, &value, sizeof(value));
    return n;
}

static inline bool rf_proto_room(struct rf_proto *proto, size_t size)
{
    return proto->capacity - proto->used >= size || rf_proto_grow(proto, size);
}

static inline void rf_proto_u64(struct rf_proto *proto, uint32_t field, uint64_t value)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD))
        return;
    uint8_t *out = proto->data + proto->used;
    size_t n = rf_varint_put(out, (uint64_t)field << 3 | RF_WIRE_VARINT);
    proto->used += n + rf_varint_put(out + n, value);
}

static inline void rf_proto_fixed64(struct rf_proto *proto, uint32_t field, uint64_t value)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD))
        return;
    uint8_t *out = proto->data + proto->used;
    size_t n = rf_varint_put(out, (uint64_t)field << 3 | RF_WIRE_64);
    value = htole64(value);
    memcpy(out + n, &value, sizeof(value));
    proto->used += n + sizeof(value);
}

void rf_proto_double(struct rf_proto *proto, uint32_t field, double value);
void rf_proto_bytes(struct rf_proto *proto, uint32_t field, const void *data, size_t size);

/* Fields that were written before, as they are. */
static inline void rf_proto_append(struct rf_proto *proto, const void *data, size_t size)
{
    if (!rf_proto_room(proto, size))
        return;
    memcpy(proto->data + proto->used, data, size);
    proto->used += size;
}

/* Text, which must be UTF-8 there: what is not becomes U+FFFD. */
void rf_proto_text(struct rf_proto *proto, uint32_t field, const char *text, size_t size);
void rf_proto_words(struct rf_proto *proto, uint32_t field, const char *text);

/* A nested message whose length is given n bytes, which is then written in as many, even if it
 * would fit fewer: readers take that. One byte is enough below 128, two below 16 Ki. Returns what
 * the end wants to be given. */
static inline size_t rf_proto_begin_n(struct rf_proto *proto, uint32_t field, size_t n)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD))
        return 0;
    proto->used +=
        rf_varint_put(proto->data + proto->used, (uint64_t)field << 3 | RF_WIRE_BYTES) + n;
    return proto->used;
}

/* The length did not fit the n bytes that were left for it: what follows is moved. */
void rf_proto_end_long(struct rf_proto *proto, size_t begin, size_t n);

static inline size_t rf_proto_begin(struct rf_proto *proto, uint32_t field)
{
    return rf_proto_begin_n(proto, field, 1);
}

static inline void rf_proto_end(struct rf_proto *proto, size_t begin)
{
    size_t size = proto->used - begin;
    if (size < 0x80 && !proto->has_failed)
        proto->data[begin - 1] = (uint8_t)size;
    else
        rf_proto_end_long(proto, begin, 1);
}

static inline size_t rf_proto_begin_wide(struct rf_proto *proto, uint32_t field)
{
    return rf_proto_begin_n(proto, field, 2);
}

static inline void rf_proto_end_wide(struct rf_proto *proto, size_t begin)
{
    size_t size = proto->used - begin;
    if (size < 0x4000 && !proto->has_failed) {
        proto->data[begin - 2] = (uint8_t)(size | 0x80);
        proto->data[begin - 1] = (uint8_t)(size >> 7);
    } else {
        rf_proto_end_long(proto, begin, 2);
    }
}

#endif
