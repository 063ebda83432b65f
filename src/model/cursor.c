/* SPDX-License-Identifier: Apache-2.0 */
/* All events in the order of time: a heap of the threads by their next event. */
#include <stdlib.h>

#include "base/error.h"
#include "model/recording.h"

struct feed {
    const struct rf_event *next, *end;
    uint32_t thread;
};

struct rf_cursor {
    struct feed **heap;
    size_t n;
    struct feed feed[];
};

static int is_before(const struct feed *a, const struct feed *b)
{
    return a->next->start_ns != b->next->start_ns ? a->next->start_ns < b->next->start_ns
                                                  : a->thread < b->thread;
}

static void sift_down(struct rf_cursor *cursor, size_t i)
{
    struct feed *moving = cursor->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= cursor->n)
            break;
        if (child + 1 < cursor->n && is_before(cursor->heap[child + 1], cursor->heap[child]))
            child++;
        if (!is_before(cursor->heap[child], moving))
            break;
        cursor->heap[i] = cursor->heap[child];
        i = child;
    }
    cursor->heap[i] = moving;
}

int rf_cursor_new(const rf_recording *rec, struct rf_cursor **out, struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_cursor_new: rec or out is NULL");
    struct rf_cursor *cursor = calloc(1, sizeof(*cursor) + rec->n_threads * sizeof(struct feed));
    struct feed **heap = calloc((size_t)rec->n_threads + 1, sizeof(struct feed *));
    if (cursor == NULL || heap == NULL) {
        free(cursor);
        free(heap);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    cursor->heap = heap;
    for (uint32_t i = 0; i < rec->n_threads; i++) {
        const struct rf_thread_events *events = &rec->events[i];
        if (events->n == 0)
            continue;
        cursor->feed[i] = (struct feed){events->event, events->event + events->n, i};
        heap[cursor->n++] = &cursor->feed[i];
    }
    for (size_t i = cursor->n; i-- > 0;)
        sift_down(cursor, i);
    *out = cursor;
    return RF_OK;
}

int rf_cursor_next(struct rf_cursor *cursor, struct rf_event_at *at)
{
    if (cursor == NULL || at == NULL || cursor->n == 0)
        return 0;
    struct feed *feed = cursor->heap[0];
    *at = (struct rf_event_at){feed->next++, feed->thread};
    if (feed->next == feed->end)
        cursor->heap[0] = cursor->heap[--cursor->n];
    if (cursor->n > 0)
        sift_down(cursor, 0);
    return 1;
}

void rf_cursor_free(struct rf_cursor *cursor)
{
    if (cursor != NULL)
        free(cursor->heap);
    free(cursor);
}
