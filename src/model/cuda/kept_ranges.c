/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/kept_ranges.h"

#include <stdlib.h>

#include "base/grow.h"

#define NODE_BITS 32

/* Of equal times the heap gives the lowest number first. */
static size_t number_of(const struct rf_kept_ranges *k, const struct rf_event *event, uint32_t node)
{
    const uint64_t from_behind = UINT32_MAX - (uint64_t)(event - k->event);
    return (size_t)(from_behind << NODE_BITS | node);
}

static const struct rf_event *event_of(const struct rf_kept_ranges *k, size_t number)
{
    return &k->event[UINT32_MAX - (number >> NODE_BITS)];
}

enum rf_kept_step rf_kept_ranges_next(struct rf_kept_ranges *k, int64_t until_ns,
                                      const struct rf_event **event, uint32_t *node)
{
    const struct rf_event *next = k->next < k->n ? &k->event[k->next] : NULL;
    if (k->open.n > 0 && (next == NULL || k->open.entry[0].time <= next->start_ns)) {
        if (k->open.entry[0].time > until_ns)
            return RF_KEPT_NONE;
        *event = event_of(k, k->open.entry[0].source);
        *node = (uint32_t)k->open.entry[0].source;
        rf_heap_drop(&k->open);
        return RF_KEPT_END;
    }
    if (next == NULL || next->start_ns > until_ns)
        return RF_KEPT_NONE;
    k->next++;
    *event = next;
    return RF_KEPT_BEGIN;
}

int rf_kept_ranges_began(struct rf_kept_ranges *k, const struct rf_event *event, uint32_t node)
{
    if (rf_grow_array(&k->open.entry, k->open.n, &k->room, sizeof(*k->open.entry)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rf_heap_add(&k->open, event->end_ns, number_of(k, event, node));
    return RF_OK;
}

void rf_kept_ranges_release(struct rf_kept_ranges *k)
{
    free(k->open.entry);
    *k = (struct rf_kept_ranges){.event = NULL};
}
