/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/batch.h"

struct counting {
    struct rf_reference_host host; /* first */
    size_t n;
};

static void count(struct rf_reference_host *host, const void *address, uint64_t size, size_t copied)
{
    (void)address, (void)size, (void)copied;
    ((struct counting *)host)->n++;
}

/* What is lost is said when it is written, as that of an event that points to something. */
static void count_lost(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    (void)n, (void)bytes;
    ((struct counting *)host)->n++;
}

/* Counts what the event in `size` bytes points to; returns where its entries end. */
static size_t look(struct counting *counting, const struct rf_batch *batch, size_t at, size_t size)
{
    const struct rf_payload event = {batch->schema, size, batch->events + at};
    counting->n = 0;
    return rf_references_add_of_batch(&counting->host,
                                      (struct rf_payloads){&event, 1, batch->domain}, batch->flex);
}

static struct counting counting_of(const struct rf_batch_host *host)
{
    return (struct counting){{host->find, host->where, count, count_lost}, 0};
}

size_t rf_batch_event_size(const struct rf_batch_host *host, const struct rf_batch *batch)
{
    struct counting counting = counting_of(host);
    return rf_references_event_size(&counting.host, batch->domain, batch->schema);
}

size_t rf_batch_measure(const struct rf_batch_host *host, const struct rf_batch *batch,
                        size_t fixed, size_t at, bool *points)
{
    struct counting counting = counting_of(host);
    const size_t left = batch->size - at;
    const size_t room = fixed != 0 && fixed < left ? fixed : left;
    const size_t end = look(&counting, batch, at, room);
    if (fixed == 0 && end < left) /* what lies behind it is not in it */
        (void)look(&counting, batch, at, end);
    *points = counting.n > 0;
    return fixed != 0 ? fixed : end;
}

bool rf_batch_divide(struct rf_batch_host *host, const struct rf_batch *batch)
{
    const size_t fixed = rf_batch_event_size(host, batch);
    size_t first = 0, at = 0; /* first: of those that are not written yet */
    uint64_t n_copied = 0;    /* bytes of flexData */
    bool goes_on = true;
    while (at < batch->size && goes_on) {
        const size_t left = batch->size - at;
        bool points;
        size_t size = rf_batch_measure(host, batch, fixed, at, &points);
        n_copied += points ? batch->flex.size : 0;
        if (size == 0 || size > left || n_copied > RF_MOST_FLEX_COPIED) {
            if (points)
                host->count_lost(host, 1);
            points = false;
        }
        size = size == 0 || size > left ? left : size;
        if (points && at > first)
            goes_on = host->write(host, batch->events + first, at - first, false);
        if (points && goes_on)
            goes_on = host->write(host, batch->events + at, size, true);
        at += size;
        first = points ? at : first;
    }
    if (first < batch->size && goes_on)
        goes_on = host->write(host, batch->events + first, batch->size - first, false);
    return goes_on;
}
