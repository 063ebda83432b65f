/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/batch.h"

#define LOOK_PER_COPIED 4u /* an event that points is looked at three times at most */

struct counting {
    struct rf_reference_host host; /* first */
    size_t n;
    uint64_t n_copied;
};

static void count(struct rf_reference_host *host, const void *address, uint64_t size, size_t copied)
{
    struct counting *counting = (struct counting *)host;
    (void)address, (void)size;
    counting->n++;
    counting->n_copied += copied;
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
    counting->n = counting->n_copied = 0;
    return rf_references_add_of_batch(&counting->host,
                                      (struct rf_payloads){&event, 1, batch->domain}, batch->flex);
}

static struct counting counting_of(const struct rf_batch_host *host, uint64_t *may_look)
{
    return (struct counting){{host->find, host->where, may_look, count, count_lost}, 0, 0};
}

size_t rf_batch_event_size(const struct rf_batch_host *host, const struct rf_batch *batch)
{
    uint64_t may_look = RF_LOOK_LEAST;
    struct counting counting = counting_of(host, &may_look);
    return rf_references_event_size(&counting.host, batch->domain, batch->schema);
}

uint64_t rf_batch_look_limit(const struct rf_batch *batch)
{
    return rf_look_limit((uint64_t)batch->size + batch->flex.size);
}

size_t rf_batch_measure(const struct rf_batch_host *host, const struct rf_batch *batch,
                        size_t fixed, size_t at, uint64_t *may_look, bool *points,
                        uint64_t *n_copied)
{
    struct counting counting = counting_of(host, may_look);
    const size_t left = batch->size - at;
    const size_t room = fixed != 0 && fixed < left ? fixed : left;
    size_t end = look(&counting, batch, at, room);
    if (fixed == 0 &&
        end < left) /* what lies behind it is not in it, the end of an array neither */
        end = look(&counting, batch, at, end) == end ? end : SIZE_MAX;
    *points = counting.n > 0;
    if (n_copied != NULL)
        *n_copied = counting.n_copied;
    return fixed != 0 ? fixed : end;
}

bool rf_batch_divide(struct rf_batch_host *host, const struct rf_batch *batch)
{
    const size_t fixed = rf_batch_event_size(host, batch);
    uint64_t may_look = rf_batch_look_limit(batch), n_copied, n_flex = 0;
    size_t first = 0, at = 0; /* first: of those that are not written yet */
    bool goes_on = true;
    while (at < batch->size && goes_on) {
        const size_t left = batch->size - at;
        bool points;
        size_t size = rf_batch_measure(host, batch, fixed, at, &may_look, &points, &n_copied);
        n_flex += points ? batch->flex.size : 0;
        if (size == 0 || size > left || n_flex > RF_MOST_FLEX_COPIED || may_look == 0) {
            if (points)
                host->count_lost(host, 1);
            points = false;
        }
        size = size == 0 || size > left ? left : size;
        if (points && at > first)
            goes_on = host->write(host, batch->events + first, at - first, false);
        if (points && goes_on)
            goes_on = host->write(host, batch->events + at, size, true);
        may_look += points ? LOOK_PER_COPIED * n_copied : 0;
        at += size;
        first = points ? at : first;
    }
    if (first < batch->size && goes_on)
        goes_on = host->write(host, batch->events + first, batch->size - first, false);
    return goes_on;
}
