/* SPDX-License-Identifier: Apache-2.0 */
/* Writes protocol buffers' wire format into memory that grows and is used again: fields in the
 * order of the calls, nested messages between rf_proto_begin() and rf_proto_end(). Running out of
 * memory sticks in has_failed and drops what was written; callers ask once per message. */
#ifndef RF_EXPORT_PROTO_H
#define RF_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

struct rf_proto {
    uint8_t *data;
    size_t used;
    size_t capacity;
    int has_failed;
};

/* What any field but text and bytes may take. */
#define RF_PROTO_MAX_FIELD ((size_t)32)
/* Longer text is cut: no viewer shows a megabyte, and readers refuse huge messages. */
#define RF_PROTO_MAX_TEXT ((size_t)1 << 20)

enum rf_proto_wire { RF_WIRE_VARINT = 0, RF_WIRE_64 = 1, RF_WIRE_BYTES = 2 };

/* Returns 0 where there is no memory. */
int rf_proto_init(struct rf_proto *proto);
void rf_proto_release(struct rf_proto *proto);

/* Makes room for size bytes; returns 0 where there is no memory. */
int rf_proto_grow(struct rf_proto *proto, size_t size);

static inline void rf_proto_reset(struct rf_proto *proto)
{
    proto->used = 0;
}

static inline size_t rf_varint_put(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        out[n++] = (uint8_t)(value | 0x80);
    out[n++] = (uint8_t)value;
    return n;
}

static inline int rf_proto_room(struct rf_proto *proto, size_t size)
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

static inline void rf_proto_i64(struct rf_proto *proto, uint32_t field, int64_t value)
{
    rf_proto_u64(proto, field, (uint64_t)value);
}

void rf_proto_fixed64(struct rf_proto *proto, uint32_t field, uint64_t value);
void rf_proto_double(struct rf_proto *proto, uint32_t field, double value);
void rf_proto_bytes(struct rf_proto *proto, uint32_t field, const void *data, size_t size);

/* Text, which must be UTF-8 there: what is not becomes U+FFFD. */
void rf_proto_text(struct rf_proto *proto, uint32_t field, const char *text, size_t size);
void rf_proto_words(struct rf_proto *proto, uint32_t field, const char *text);

/* Begins a nested message. Returns what rf_proto_end() wants to be given. */
static inline size_t rf_proto_begin(struct rf_proto *proto, uint32_t field)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD))
        return 0;
    proto->used +=
        rf_varint_put(proto->data + proto->used, (uint64_t)field << 3 | RF_WIRE_BYTES) + 1;
    return proto->used;
}

void rf_proto_end_long(struct rf_proto *proto, size_t begin);

/* One byte was left for the length, which most messages fit; others are moved. */
static inline void rf_proto_end(struct rf_proto *proto, size_t begin)
{
    size_t size = proto->used - begin;
    if (size < 0x80 && !proto->has_failed)
        proto->data[begin - 1] = (uint8_t)size;
    else
        rf_proto_end_long(proto, begin);
}

#endif
