/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of the threads and streams by what comes next in each. */
#include "export/work_cursor.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"

struct feed {
    struct rf_work_at next;
    size_t n_left; /* with next */
};

struct rf_work_cursor {
    struct rf_heap heap; /* of feeds */
    size_t n_feeds;
    struct feed feed[];
};

static void add(struct rf_work_cursor *cursor, const struct rf_work_at *first, size_t n)
{
    if (n == 0)
        return;
    cursor->feed[cursor->n_feeds] = (struct feed){*first, n};
    rf_heap_add(&cursor->heap, rf_work_start_ns(first), cursor->n_feeds++);
}

int rf_work_cursor_new(const rf_recording *rec, struct rf_work_cursor **out, struct rf_err *err)
{
    uint32_t n_threads = rf_n_threads(rec), n_tracks = rf_n_gpu_tracks(rec);
    uint32_t n_counters = rf_n_counters(rec);
    size_t n_feeds = (size_t)n_threads + n_tracks + n_counters + 1, n_extras;
    const struct rf_gpu_op *ops = rf_gpu_ops(rec, NULL);
    struct rf_work_cursor *cursor = calloc(1, sizeof(*cursor) + n_feeds * sizeof(struct feed));
    *out = cursor;
    if (cursor != NULL)
        cursor->heap.entry = malloc(n_feeds * sizeof(*cursor->heap.entry));
    if (cursor == NULL || cursor->heap.entry == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n_threads; i++) {
        size_t n;
        const struct rf_work_at first = {.call = rf_thread_calls(rec, i, &n), .thread = i};
        add(cursor, &first, n);
    }
    for (uint32_t i = 0; i < n_tracks; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        const struct rf_work_at first = {.op = ops != NULL ? ops + track->first_op : NULL};
        add(cursor, &first, track->n_ops);
    }
    const struct rf_work_at first_extra = {.extra = rf_extras(rec, &n_extras)};
    add(cursor, &first_extra, n_extras);
    for (uint32_t i = 0; i < n_counters; i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        const struct rf_work_at first = {
            .sample_ns = counter->ns, .sample = counter->value, .counter = i};
        add(cursor, &first, counter->n_samples);
    }
    return RF_OK;
}

bool rf_work_cursor_next(struct rf_work_cursor *cursor, struct rf_work_at *at)
{
    if (cursor->heap.n == 0)
        return false;
    struct feed *feed = &cursor->feed[cursor->heap.entry[0].source];
    *at = feed->next;
    if (feed->next.call != NULL)
        feed->next.call++;
    else if (feed->next.op != NULL)
        feed->next.op++;
    else if (feed->next.extra != NULL)
        feed->next.extra++;
    else {
        feed->next.sample_ns++;
        feed->next.sample++;
    }
    if (--feed->n_left == 0)
        rf_heap_drop(&cursor->heap);
    else
        rf_heap_advance(&cursor->heap, rf_work_start_ns(&feed->next));
    return true;
}

void rf_work_cursor_free(struct rf_work_cursor *cursor)
{
    if (cursor != NULL)
        free(cursor->heap.entry);
    free(cursor);
}

uint64_t rf_count_work(const rf_recording *rec)
{
    size_t n;
    uint64_t sum;
    (void)rf_gpu_ops(rec, &n);
    sum = n;
    (void)rf_extras(rec, &n);
    sum += n;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        sum += rf_counter_at(rec, i)->n_samples;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        (void)rf_thread_calls(rec, i, &n);
        sum += n;
    }
    return sum;
}
