/* SPDX-License-Identifier: Apache-2.0 */
#include "log/part_reader.h"

#include <stdlib.h>

#include "base/grow.h"
#include "log/compress.h"
#include "rangefinder/rangefinder.h"

void rf_part_reader_init(struct rf_part_reader *r, const struct rf_log *log)
{
    *r = (struct rf_part_reader){.log = log};
}

static void drop(struct rf_part_reader *r, struct rf_packed_part *packed)
{
    uint8_t *buffer = (uint8_t *)(uintptr_t)packed->view.data;
    packed->view = (struct rf_part_view){NULL, 0};
    packed->part = NULL;
    if (rf_grow_array(&r->spare, r->n_spare, &r->spare_room, sizeof(*r->spare)) == RF_OK)
        r->spare[r->n_spare++] = buffer;
    else
        free(buffer);
}

void rf_part_reader_release(struct rf_part_reader *r)
{
    for (size_t i = 0; i < r->n_held; i++)
        drop(r, r->held[i]);
    for (size_t i = 0; i < r->n_spare; i++)
        free(r->spare[i]);
    free(r->held);
    free(r->spare);
    rf_expander_free(r->expander);
    *r = (struct rf_part_reader){.log = r->log};
}

void rf_part_reader_drop(struct rf_part_reader *r, const struct rf_log_part *first,
                         const struct rf_log_part *end)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_held; i++) {
        struct rf_packed_part *packed = r->held[i];
        if (packed->part >= first && packed->part < end)
            drop(r, packed);
        else
            r->held[n++] = packed;
    }
    r->n_held = n;
}

/* Room for a part, and for noting it. NULL: out of memory. */
static uint8_t *take_buffer(struct rf_part_reader *r)
{
    if (rf_grow_array(&r->held, r->n_held, &r->held_room, sizeof(*r->held)) != RF_OK)
        return NULL;
    return r->n_spare > 0 ? r->spare[--r->n_spare] : malloc(RF_EXPANDED_ROOM);
}

static bool expand(struct rf_part_reader *r, const struct rf_packed_part *packed, uint8_t *payload)
{
    struct rf_compressed info;
    return rf_compressed_read(&info, packed->chunk, packed->chunk_size, true) &&
           info.type == RF_CHUNK_PART && rf_expand(r->expander, &info, packed->chunk, payload);
}

struct rf_part_view rf_part_expand(struct rf_part_reader *r, const struct rf_log_part *part)
{
    static const uint8_t nothing[RF_PART_RECORDS_OFFSET];
    struct rf_packed_part *packed = part->packed;
    const struct rf_chunk_header chunk = rf_part_chunk(part);
    const struct rf_part_header header = rf_part_header(part);
    if (r->expander == NULL)
        r->expander = rf_expander_new(&r->log->zstd);
    uint8_t *buffer = r->expander != NULL ? take_buffer(r) : NULL;
    if (buffer == NULL) {
        r->is_out_of_memory = true;
        return (struct rf_part_view){nothing, sizeof(nothing)};
    }
    packed->view = (struct rf_part_view){buffer, part->size};
    packed->part = part;
    if (!expand(r, packed, buffer + sizeof(chunk))) {
        memcpy(buffer + sizeof(chunk), &header, sizeof(header));
        packed->view.size = RF_PART_RECORDS_OFFSET;
    }
    memcpy(buffer, &chunk, sizeof(chunk));
    r->held[r->n_held++] = packed;
    return packed->view;
}
