/* SPDX-License-Identifier: Apache-2.0 */
/* All events in the order of time: a heap of the threads by their next event. */
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "model/recording.h"

struct feed {
    const struct rf_event *next, *end;
};

struct rf_cursor {
    struct rf_heap heap; /* of threads */
    struct feed feed[];  /* by thread */
};

int rf_cursor_new(const rf_recording *rec, struct rf_cursor **out, struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_cursor_new: rec or out is NULL");
    struct rf_cursor *cursor = calloc(1, sizeof(*cursor) + rec->n_threads * sizeof(struct feed));
    if (cursor != NULL)
        cursor->heap.entry = malloc(((size_t)rec->n_threads + 1) * sizeof(*cursor->heap.entry));
    if (cursor == NULL || cursor->heap.entry == NULL) {
        free(cursor);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < rec->n_threads; i++) {
        const struct rf_thread_events *events = &rec->events[i];
        if (events->n == 0)
            continue; /* no array either */
        cursor->feed[i] = (struct feed){events->event, events->event + events->n};
        rf_heap_add(&cursor->heap, events->event->start_ns, i);
    }
    *out = cursor;
    return RF_OK;
}

int rf_cursor_next(struct rf_cursor *cursor, struct rf_event_at *at)
{
    if (cursor == NULL || at == NULL || cursor->heap.n == 0)
        return 0;
    size_t thread = cursor->heap.entry[0].source;
    struct feed *feed = &cursor->feed[thread];
    *at = (struct rf_event_at){feed->next++, (uint32_t)thread};
    if (feed->next == feed->end)
        rf_heap_drop(&cursor->heap);
    else
        rf_heap_advance(&cursor->heap, feed->next->start_ns);
    return 1;
}

void rf_cursor_free(struct rf_cursor *cursor)
{
    if (cursor != NULL)
        free(cursor->heap.entry);
    free(cursor);
}
