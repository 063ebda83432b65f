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

/* What is lost is counted when it is written. */
static void count_nothing(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    (void)host, (void)n, (void)bytes;
}

size_t rf_batch_measure(const struct rf_batch_host *host, const struct rf_batch *batch, size_t at,
                        bool *points)
{
    struct counting counting = {{host->find, host->where, count, count_nothing}, 0};
    const struct rf_payload rest = {batch->schema, batch->size - at, batch->events + at};
    const struct rf_payloads payloads = {&rest, 1, batch->domain};
    const size_t size = rf_references_add_of_batch(&counting.host, payloads, batch->flex);
    if (size < rest.size) { /* what lies behind it is not in it */
        const struct rf_payload event = {batch->schema, size, rest.bytes};
        counting.n = 0;
        (void)rf_references_add_of_batch(
            &counting.host, (struct rf_payloads){&event, 1, batch->domain}, batch->flex);
    }
    *points = counting.n > 0;
    return size;
}

bool rf_batch_divide(struct rf_batch_host *host, const struct rf_batch *batch)
{
    size_t first = 0, at = 0; /* first: of those that are not written yet */
    uint64_t n_copied = 0;    /* bytes of flexData */
    bool goes_on = true;
    while (at < batch->size && goes_on) {
        const size_t left = batch->size - at;
        bool points;
        size_t size = rf_batch_measure(host, batch, at, &points);
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
