/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/compress_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "log/compress.h"

#define FEWEST_RAW 2u /* parts that are not compressed after one that was too late */
#define MOST_RAW   64u

struct compress_parts {
    struct rf_compressor *compressor;
    uint32_t n_raw;      /* so many parts are appended as they are */
    uint32_t n_raw_next; /* the same, after the next one that is too late */
    bool is_compressed;  /* what was taken last */
};

struct compress_parts *compress_parts_new(const struct rf_control *control)
{
    bool is_missing;
    /* A thread that drops events must not wait for a part longer than it has to: its parts are
     * compressed when the session is packed. So are those of a session that is written in files one
     * after another, which are cut where a file ends. */
    if (control->version != RF_FORMAT_COMPRESSED || control->overflow == RF_OVERFLOW_DROP ||
        control->pieces.is_split)
        return NULL;
    struct compress_parts *c = calloc(1, sizeof(*c));
    if (c != NULL)
        c->compressor = rf_compressor_new(&is_missing);
    if (c == NULL || c->compressor == NULL) {
        cli_say("parts cannot be compressed while the program runs: out of memory");
        free(c);
        return NULL;
    }
    c->n_raw_next = FEWEST_RAW;
    return c;
}

void compress_parts_free(struct compress_parts *c)
{
    if (c != NULL)
        rf_compressor_free(c->compressor);
    free(c);
}

/* Whether a thread has no room to write to. */
static bool is_waited_for(const struct rf_pool_part *other)
{
    return __atomic_load_n(&other->state, __ATOMIC_RELAXED) == RF_PART_FULL;
}

const uint8_t *compress_parts_take(struct compress_parts *c, const struct rf_pool_part *other,
                                   const uint8_t *part, size_t *size)
{
    struct rf_chunk_header header;
    const uint8_t *chunk;
    if (c == NULL)
        return part;
    c->is_compressed = false;
    if (c->n_raw > 0 || is_waited_for(other)) {
        c->n_raw -= c->n_raw > 0;
        return part;
    }
    memcpy(&header, part, sizeof(header));
    if (header.size != *size - sizeof(header)) /* overwritten by the program */
        return part;
    const size_t n = rf_compress(c->compressor, &header, part + sizeof(header), &chunk);
    if (n == 0)
        return part;
    c->is_compressed = true;
    *size = n;
    return chunk;
}

void compress_parts_done(struct compress_parts *c, const struct rf_pool_part *other)
{
    const uint32_t state = __atomic_load_n(&other->state, __ATOMIC_RELAXED);
    if (c == NULL || !c->is_compressed)
        return;
    if (state == RF_PART_FULL || state == RF_PART_APPENDING) {
        c->n_raw = c->n_raw_next;
        c->n_raw_next = c->n_raw_next < MOST_RAW / 2 ? 2 * c->n_raw_next : MOST_RAW;
    } else if (c->n_raw_next > FEWEST_RAW) {
        c->n_raw_next /= 2;
    }
}
