/* SPDX-License-Identifier: Apache-2.0 */
#include "log/old_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "log/condense.h"
#include "log/log_memory.h"
#include "log/part_reader.h"

struct condensing {
    struct rf_log *log;
    struct rf_old_stream *stream;
    struct rf_part_reader reader;
    struct rf_map streams; /* by thread */
    uint32_t process;      /* of the part that is looked at, likewise below */
    uint32_t at;
    bool is_out_of_memory;
};

/* A thread has records in the stream that is looked at. */
static void note_thread(void *context, uint32_t tid, uint32_t serial)
{
    struct condensing *c = context;
    const uint64_t key = (uint64_t)c->process << 32 | tid;
    const uint32_t other = rf_map_find(&c->streams, key, serial);
    if (other != RF_MAP_NONE && other != c->at)
        c->stream[other].is_mixed = c->stream[c->at].is_mixed = true;
    else if (other == RF_MAP_NONE && rf_map_set(&c->streams, key, serial, c->at) != RF_OK)
        c->is_out_of_memory = true;
}

static void note_threads(struct condensing *c)
{
    const struct rf_old_stream *s = &c->stream[c->at];
    for (size_t i = 0; i < s->n; i++) {
        const struct rf_log_part *part = &c->log->part[s->first + i];
        const struct rf_part_header header = rf_part_header(part);
        c->process = part->process;
        note_thread(c, header.tid, header.serial);
    }
}

/* Condenses a part, where that can be done. Returns how many records it has. */
static uint64_t condense(struct condensing *c, struct rf_condenser *condenser,
                         struct rf_log_part *part)
{
    struct rf_condensed condensed;
    if (!rf_condense(condenser, &c->reader, part, note_thread, c, &condensed))
        return 0;
    uint8_t *copy = rf_log_allocate(c->log, condensed.size);
    if (copy == NULL) {
        c->is_out_of_memory = true;
        return 0;
    }
    memcpy(copy, condensed.data, condensed.size);
    part->raw = copy;
    part->packed = NULL;
    part->size = condensed.size;
    part->is_carried = true;
    return condensed.n_records;
}

/* Lists the parts of a stream that go. Returns how many records those have that were condensed. */
static uint64_t list_stream(struct condensing *c, struct rf_condenser *condenser,
                            struct rf_log_part *old)
{
    const struct rf_old_stream *s = &c->stream[c->at];
    uint64_t n_records = 0;
    for (size_t i = 0; i < s->n_old; i++) {
        old[i] = c->log->part[s->first + i];
        c->process = old[i].process;
        if (!s->is_mixed)
            n_records += condense(c, condenser, &old[i]);
        rf_part_reader_drop(&c->reader, &old[i], &old[i] + 1);
    }
    if (!s->is_mixed)
        return n_records;
    memcpy(old, c->log->part + s->first, s->n_old * sizeof(*old)); /* one of them has shown it */
    return 0;
}

static int list(struct condensing *c, struct rf_condenser *condenser, struct rf_log *old,
                uint32_t n_streams, uint64_t *n_records)
{
    for (c->at = 0; c->at < n_streams; c->at++)
        note_threads(c);
    for (c->at = 0; c->at < n_streams; c->at++) {
        *n_records += list_stream(c, condenser, old->part + old->n_parts);
        old->n_parts += c->stream[c->at].n_old;
    }
    return c->is_out_of_memory || c->reader.is_out_of_memory ? RF_ERR_NO_MEMORY : RF_OK;
}

int rf_old_parts(struct rf_log *old, struct rf_log *log, struct rf_old_stream *stream,
                 uint32_t n_streams, uint64_t *n_records)
{
    struct condensing c = {.log = log, .stream = stream};
    struct rf_condenser *condenser = rf_condenser_new();
    rf_part_reader_init(&c.reader, log);
    *old = *log;
    old->n_parts = 0;
    old->part = calloc(log->n_parts + 1, sizeof(*old->part));
    *n_records = 0;
    int status = condenser != NULL && old->part != NULL
                     ? list(&c, condenser, old, n_streams, n_records)
                     : RF_ERR_NO_MEMORY;
    rf_condenser_free(condenser);
    rf_part_reader_release(&c.reader);
    rf_map_release(&c.streams);
    return status;
}
