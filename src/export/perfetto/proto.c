/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/proto.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define FIRST_CAPACITY ((size_t)64 << 10)

bool rf_proto_init(struct rf_proto *proto)
{
    memset(proto, 0, sizeof(*proto));
    proto->data = malloc(FIRST_CAPACITY);
    proto->capacity = proto->data != NULL ? FIRST_CAPACITY : 0;
    return proto->data != NULL;
}

void rf_proto_release(struct rf_proto *proto)
{
    free(proto->data);
    memset(proto, 0, sizeof(*proto));
}

bool rf_proto_grow(struct rf_proto *proto, size_t size)
{
    size_t capacity = proto->capacity;
    if (size > SIZE_MAX / 4 - proto->used)
        capacity = 0;
    while (capacity != 0 && capacity - proto->used < size)
        capacity *= 2;
    uint8_t *grown = capacity != 0 ? realloc(proto->data, capacity) : NULL;
    if (grown == NULL) {
        proto->has_failed = true;
        return false;
    }
    proto->data = grown;
    proto->capacity = capacity;
    return true;
}

size_t rf_varint_put_long(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        out[n++] = (uint8_t)(value | 0x80);
    out[n++] = (uint8_t)value;
    return n;
}

void rf_proto_double(struct rf_proto *proto, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    rf_proto_fixed64(proto, field, bits);
}

void rf_proto_bytes(struct rf_proto *proto, uint32_t field, const void *data, size_t size)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD + size))
        return;
    uint8_t *out = proto->data + proto->used;
    size_t n = rf_varint_put(out, (uint64_t)field << 3 | RF_WIRE_BYTES);
    n += rf_varint_put(out + n, size);
    if (size > 0)
        memcpy(out + n, data, size);
    proto->used += n + size;
}

/* Up to three bytes for one: U+FFFD. */
static void put_replaced(struct rf_proto *proto, uint32_t field, const char *text, size_t size)
{
    if (!rf_proto_room(proto, RF_PROTO_MAX_FIELD + 3 * size))
        return;
    size_t begin = rf_proto_begin(proto, field);
    proto->used += rf_utf8_replace((char *)proto->data + proto->used, text, size);
    rf_proto_end(proto, begin);
}

void rf_proto_text(struct rf_proto *proto, uint32_t field, const char *text, size_t size)
{
    if (size > RF_PROTO_MAX_TEXT) /* not within a character */
        for (size = RF_PROTO_MAX_TEXT; size > RF_PROTO_MAX_TEXT - 4; size--)
            if (((unsigned char)text[size] & 0xc0) != 0x80)
                break;
    if (rf_is_utf8(text, size))
        rf_proto_bytes(proto, field, text, size);
    else
        put_replaced(proto, field, text, size);
}

void rf_proto_words(struct rf_proto *proto, uint32_t field, const char *text)
{
    rf_proto_text(proto, field, text, strlen(text));
}

void rf_proto_end_long(struct rf_proto *proto, size_t begin, size_t n)
{
    uint8_t length[RF_VARINT_ROOM];
    size_t size = proto->used - begin;
    if (proto->has_failed || !rf_proto_room(proto, RF_PROTO_MAX_FIELD))
        return;
    size_t n_needed = rf_varint_put(length, size);
    memmove(proto->data + begin - n + n_needed, proto->data + begin, size);
    memcpy(proto->data + begin - n, length, n_needed);
    proto->used += n_needed - n;
}
