/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_records.h"

#include <string.h>

#include "log/layout.h"

#define DATA_WORDS  4u /* of PAYLOAD and ARRAY, before the bytes */
#define MORE_WORDS  2u
#define LEAST_BYTES 8u /* that are worth a record at the end of a part */

static uint64_t head_of(enum rf_record_type type, size_t n_words)
{
    return NVTXW_TICKS << RF_WORD_TICK_SHIFT |
           (n_words <= RF_WORD_MAX_WORDS ? n_words << RF_WORD_TYPE_BITS : 0) | type;
}

static uint64_t long_length(size_t n_words)
{
    return n_words > RF_WORD_MAX_WORDS ? (uint64_t)n_words << 32 : 0;
}

static size_t room_of(const struct nvtxw_stream *stream)
{
    return (size_t)(stream->end - stream->at);
}

/* Makes what was written so far visible: the word behind it is zero before. */
static void publish(struct nvtxw_record *r)
{
    struct nvtxw_stream *stream = r->stream;
    if (r->first == NULL)
        return;
    if (stream->at < stream->end)
        memset(stream->at, 0, 8);
    /* pairs with a reader of the pool, which sees the record whole or not at all */
    __atomic_store_n(r->first, r->head, __ATOMIC_RELEASE);
    r->first = NULL;
}

static void next_part(struct nvtxw_record *r)
{
    publish(r);
    r->result = nvtxw_stream_next_part(r->stream);
}

void nvtxw_record_begin(struct nvtxw_record *r, struct nvtxw_stream *stream, enum rf_ext_kind kind,
                        const uint64_t *words, size_t n_words, size_t n_bytes)
{
    const size_t most = RF_PART_SIZE - RF_PART_RECORDS_OFFSET;
    const size_t size = 8 * (2 + n_words), whole = size + n_bytes;
    *r = (struct nvtxw_record){.stream = stream};
    if (room_of(stream) < size || (room_of(stream) < whole && whole <= most))
        r->result = nvtxw_stream_next_part(stream);
    if (r->result != NVTXW_SUCCESS)
        return;
    uint64_t *at = (uint64_t *)(void *)stream->at;
    at[1] = kind | (uint64_t)stream->domain->number << RF_EXT_DOMAIN_SHIFT;
    for (size_t i = 0; i < n_words; i++)
        at[2 + i] = words[i];
    r->first = at;
    r->head = head_of(RF_REC_EXT, 2 + n_words);
    stream->at += size;
}

/* As many of the bytes as the part has room for, behind n_words words of which `kind` and `extra`
 * are the first ones. Returns how many. */
static size_t put(struct nvtxw_record *r, uint64_t kind, const uint64_t *extra, size_t n_words,
                  const uint8_t *bytes, size_t size)
{
    struct nvtxw_stream *stream = r->stream;
    const size_t room = (room_of(stream) - 8 * n_words) & ~(size_t)7;
    const size_t n = size < room ? size : room, words = n_words + (n + 7) / 8;
    uint64_t *at = (uint64_t *)(void *)stream->at;
    at[1] = kind | long_length(words);
    for (size_t i = 2; i < n_words; i++)
        at[i] = extra[i - 2];
    if ((n & 7) != 0)
        at[words - 1] = 0;
    if (n > 0)
        memcpy(at + n_words, bytes, n);
    stream->at += 8 * words;
    if (r->first == NULL && stream->at < stream->end)
        memset(stream->at, 0, 8);
    /* as in publish() */
    __atomic_store_n(&at[0], head_of(RF_REC_DATA, words), __ATOMIC_RELEASE);
    return n;
}

static void add(struct nvtxw_record *r, uint64_t kind, const uint64_t *extra, size_t n_words,
                const uint8_t *bytes, size_t size)
{
    if (r->result == NVTXW_SUCCESS &&
        room_of(r->stream) < 8 * n_words + (size > 0 ? LEAST_BYTES : 0))
        next_part(r);
    if (r->result != NVTXW_SUCCESS)
        return;
    size_t done = put(r, kind, extra, n_words, bytes, size);
    while (done < size) {
        next_part(r);
        if (r->result != NVTXW_SUCCESS)
            return;
        done += put(r, RF_DATA_MORE, NULL, MORE_WORDS, bytes + done, size - done);
    }
}

void nvtxw_record_add(struct nvtxw_record *r, enum rf_data_kind kind, uint64_t word2,
                      const void *bytes, size_t size)
{
    nvtxw_record_add_cut(r, kind, word2, bytes, size, size);
}

void nvtxw_record_add_cut(struct nvtxw_record *r, enum rf_data_kind kind, uint64_t word2,
                          const void *bytes, size_t size, size_t available)
{
    const uint64_t extra[] = {word2, size};
    add(r, kind, extra, DATA_WORDS, bytes, available);
}

void nvtxw_record_add_addressed(struct nvtxw_record *r, uint64_t schema, const void *bytes,
                                size_t size)
{
    const uint64_t extra[] = {schema, size, (uint64_t)(uintptr_t)bytes};
    add(r, RF_DATA_PAYLOAD | RF_DATA_ADDRESS, extra, DATA_WORDS + 1, bytes, size);
}

int nvtxw_record_end(struct nvtxw_record *r)
{
    publish(r);
    return r->result;
}
