/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/path_walk.h"

#include <stdlib.h>

/* ---- Room ---- */

void rf_path_walk_release(struct rf_path_walk *walk)
{
    free(walk->order);
    free(walk->open);
    free(walk->around);
    free(walk->path);
    *walk = (struct rf_path_walk){.order = NULL};
}

static bool reserve(struct rf_path_walk *walk, size_t n)
{
    if (n <= walk->room)
        return true;
    rf_path_walk_release(walk);
    n += n / 2;
    walk->order = malloc(n * sizeof(*walk->order));
    walk->open = malloc(n * sizeof(*walk->open));
    walk->around = malloc(n * sizeof(*walk->around));
    walk->path = malloc(n * sizeof(*walk->path));
    if (walk->order == NULL || walk->open == NULL || walk->around == NULL || walk->path == NULL)
        return false;
    walk->room = n;
    return true;
}

/* ---- Order ---- */

static inline int64_t end_of(const struct rf_event *range)
{
    return range->end_ns != RF_NO_TIME ? range->end_ns : INT64_MAX;
}

/* That of the projection: by start, the longest first. */
static inline int compare(const struct rf_event *event, uint32_t a, uint32_t b)
{
    const struct rf_event *x = &event[a], *y = &event[b];
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (end_of(x) != end_of(y))
        return end_of(x) > end_of(y) ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int compare_indices(const void *left, const void *right, void *context)
{
    return compare(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* Whether an event, if it is a range, agrees with what earlier walks added. */
static inline bool is_settled(const struct rf_path_thread *thread, size_t i)
{
    const struct rf_event *event = &thread->event[i];
    return event->kind == RF_EVENT_PUSH_POP && event->payload_type != RF_TYPE_EXTENDED &&
           end_of(event) >= thread->settled_ns &&
           (i < thread->n_kept || event->start_ns >= thread->settled_ns);
}

/* Puts the ranges into walk->order. Returns false if one of them cannot be added. */
static bool find_order(struct rf_path_walk *walk, const struct rf_path_thread *thread, size_t *n)
{
    bool is_sorted = true;
    *n = 0;
    for (size_t i = 0; i < thread->n; i++) {
        uint8_t kind = thread->event[i].kind;
        if (kind != RF_EVENT_PUSH_POP && kind != RF_EVENT_START_END)
            continue;
        if (!is_settled(thread, i))
            return false;
        is_sorted &= *n == 0 || compare(thread->event, walk->order[*n - 1], (uint32_t)i) <= 0;
        walk->order[(*n)++] = (uint32_t)i;
    }
    if (!is_sorted)
        qsort_r(walk->order, *n, sizeof(*walk->order), compare_indices, thread->event);
    return true;
}

/* ---- Ranges around ---- */

/* What projection_sweep.c does. Returns false where it finds that ranges cross. */
static bool find_around(struct rf_path_walk *walk, const struct rf_event *event, size_t n)
{
    size_t n_open = 0;
    int64_t touch_ns = RF_NO_TIME; /* one ended there, and the next began */
    for (size_t i = 0; i < n; i++) {
        const struct rf_event *range = &event[walk->order[i]];
        int64_t end_ns = end_of(range);
        if (touch_ns != RF_NO_TIME && range->start_ns == touch_ns && end_ns == touch_ns)
            return false; /* it lies in both */
        for (; n_open > 0 && end_of(&event[walk->open[n_open - 1]]) < end_ns; n_open--) {
            int64_t top_end_ns = end_of(&event[walk->open[n_open - 1]]);
            if (top_end_ns > range->start_ns)
                return false;
            if (top_end_ns == range->start_ns)
                touch_ns = top_end_ns;
        }
        walk->around[walk->order[i]] = n_open > 0 ? walk->open[n_open - 1] : RF_NO_INDEX;
        walk->path[walk->order[i]] = RF_NO_INDEX;
        walk->open[n_open++] = walk->order[i];
    }
    return true;
}

/* ---- Adding ---- */

/* Gives a range and those around it their sums; walk->open is free by now. */
static bool find_path(struct rf_path_walk *walk, struct rf_path_thread *thread,
                      struct rf_sums *sums, uint32_t i)
{
    size_t n = 0;
    for (; i != RF_NO_INDEX && walk->path[i] == RF_NO_INDEX; i = walk->around[i])
        walk->open[n++] = i;
    uint32_t around = i != RF_NO_INDEX ? walk->path[i] + 1 : 0;
    while (n > 0) {
        i = walk->open[--n];
        const struct rf_sum_key key = {thread->event[i].domain, thread->event[i].name,
                                       thread->event[i].kind, around};
        walk->path[i] = rf_sums_index(sums, &key);
        if (walk->path[i] == RF_NO_INDEX)
            return false;
        around = walk->path[i] + 1;
        thread->seen.number++;
        if (rf_sum_is_first(&thread->seen, &sums->sum[walk->path[i]].first))
            sums->sum[walk->path[i]].first = thread->seen;
    }
    return true;
}

static bool add_range(struct rf_sums *sums, const struct rf_path_thread *thread,
                      const struct rf_event *range, uint32_t path)
{
    const struct rf_sum_place place = {(uint64_t)range->end_ns - (uint64_t)range->start_ns,
                                       range->start_ns, thread->owner};
    sums->sum[path].self_ns += place.duration_ns - range->payload;
    return rf_sums_add_at(sums, path, &place);
}

enum rf_path_step rf_path_walk(struct rf_path_walk *walk, struct rf_path_thread *thread,
                               struct rf_sums *sums)
{
    struct rf_event *event = thread->event;
    size_t n;
    if (!reserve(walk, thread->n))
        return RF_PATHS_NO_MEMORY;
    if (!find_order(walk, thread, &n) || !find_around(walk, event, n))
        return RF_PATHS_CROSS;
    for (size_t k = 0; k < n; k++) {
        uint32_t i = walk->order[k];
        if (!rf_path_walk_adds(&event[i], thread->until_ns))
            continue;
        if (!find_path(walk, thread, sums, i))
            return RF_PATHS_NO_MEMORY;
        if (walk->around[i] != RF_NO_INDEX)
            event[walk->around[i]].payload +=
                (uint64_t)event[i].end_ns - (uint64_t)event[i].start_ns;
    }
    for (size_t k = 0; k < n; k++) /* now it is known what those inside take */
        if (rf_path_walk_adds(&event[walk->order[k]], thread->until_ns) &&
            !add_range(sums, thread, &event[walk->order[k]], walk->path[walk->order[k]]))
            return RF_PATHS_NO_MEMORY;
    return RF_PATHS_ADDED;
}
