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
    free(walk->span);
    free(walk->work);
    *walk = (struct rf_path_walk){.has_crossing = walk->has_crossing};
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

/* Whether a range agrees with what earlier walks added. */
static inline bool is_settled(const struct rf_path_thread *thread, size_t i)
{
    const struct rf_event *event = &thread->event[i];
    return event->payload_type == RF_PATH_ELSEWHERE ||
           (event->payload_type != RF_TYPE_EXTENDED && end_of(event) >= thread->settled_ns &&
            (i < thread->n_kept || event->start_ns >= thread->settled_ns));
}

static inline bool is_out(const struct rf_path_thread *thread, size_t i)
{
    return thread->is_out != NULL && thread->is_out[i] != 0;
}

/* Puts the ranges into walk->order that can lie in others. Returns false if one of them cannot be
 * added. */
static bool find_order(struct rf_path_walk *walk, struct rf_path_thread *thread, size_t *n)
{
    bool is_sorted = true;
    *n = 0;
    for (size_t i = 0; i < thread->n; i++) {
        const struct rf_event *event = &thread->event[i];
        if (event->kind != RF_EVENT_PUSH_POP && event->kind != RF_EVENT_START_END)
            continue;
        if (!is_settled(thread, i))
            return false;
        if (is_out(thread, i))
            continue;
        if (event->end_ns == RF_NO_TIME && !rf_path_walk_assumes(event)) {
            if (event->start_ns < thread->until_ns)
                thread->until_ns = event->start_ns;
            continue;
        }
        if (event->payload_type == RF_PATH_ELSEWHERE)
            continue;
        is_sorted &= *n == 0 || compare(thread->event, walk->order[*n - 1], (uint32_t)i) <= 0;
        walk->order[(*n)++] = (uint32_t)i;
    }
    if (!is_sorted)
        qsort_r(walk->order, *n, sizeof(*walk->order), compare_indices, thread->event);
    return true;
}

/* ---- Ranges around ---- */

/* What projection_sweep.c does. Returns false where it finds that ranges cross. */
static bool find_nested(struct rf_path_walk *walk, const struct rf_event *event, size_t n)
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

static bool reserve_spans(struct rf_path_walk *walk)
{
    if (walk->span_room >= walk->room)
        return true;
    free(walk->span);
    free(walk->work);
    walk->span = malloc(walk->room * sizeof(*walk->span));
    walk->work = malloc(walk->room * sizeof(*walk->work));
    walk->span_room = walk->span != NULL && walk->work != NULL ? walk->room : 0;
    return walk->span_room > 0;
}

/* Of an open range that crosses one which ended it is not known yet which is the shorter one:
 * what begins behind it waits. Returns false if something was added before. */
static bool hold_crossing(const struct rf_path_walk *walk, struct rf_path_thread *thread, size_t n)
{
    for (size_t b = 0; b < n; b++) {
        const struct rf_event *range = &thread->event[walk->order[b]];
        const bool was_open = range->payload_type == RF_PATH_ASSUMED;
        if (range->end_ns != RF_NO_TIME && !was_open)
            continue;
        for (size_t a = 0; a < b; a++) {
            const int64_t end_ns = end_of(&thread->event[walk->order[a]]);
            if (end_ns <= range->start_ns || end_ns >= end_of(range))
                continue;
            if (was_open)
                return false;
            if (range->start_ns < thread->until_ns)
                thread->until_ns = range->start_ns;
        }
    }
    return true;
}

/* The same where they cross. */
static enum rf_path_step find_crossing(struct rf_path_walk *walk, struct rf_path_thread *thread,
                                       size_t n)
{
    struct rf_sweep sweep = {.n_spans = n};
    if (!hold_crossing(walk, thread, n))
        return RF_PATHS_CROSS;
    if (!reserve_spans(walk))
        return RF_PATHS_NO_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const struct rf_event *range = &thread->event[walk->order[k]];
        walk->span[k] = (struct rf_span){range->start_ns, end_of(range), walk->order[k]};
    }
    sweep.span = walk->span;
    sweep.work = walk->work;
    sweep.parent = walk->open;
    if (rf_sweep(&sweep) != RF_OK)
        return RF_PATHS_NO_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const uint32_t parent = walk->open[k];
        walk->around[walk->order[k]] = parent != RF_NO_INDEX ? walk->order[parent] : RF_NO_INDEX;
        walk->path[walk->order[k]] = RF_NO_INDEX;
    }
    return RF_PATHS_ADDED;
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
        thread->seen.number = (uint64_t)thread->event[i].start_ns ^ (uint64_t)1 << 63;
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
    if (thread->goes_on && range->cut == RF_CUT_LIVE)
        return true;
    sums->sum[path].self_ns += place.duration_ns - range->payload;
    return rf_sums_add_at(sums, path, &place);
}

/* A range inside covers time of the one around it; they come by start. */
static void cover(struct rf_event *around, const struct rf_event *range)
{
    const int64_t covered_ns = (int64_t)((uint64_t)around->category << 32 | around->color);
    const int64_t from_ns = range->start_ns > covered_ns ? range->start_ns : covered_ns;
    if (range->end_ns <= from_ns)
        return;
    around->payload += (uint64_t)range->end_ns - (uint64_t)from_ns;
    around->category = (uint32_t)((uint64_t)range->end_ns >> 32);
    around->color = (uint32_t)range->end_ns;
}

/* Adds what other threads ended. */
static bool add_elsewhere(struct rf_path_walk *walk, struct rf_path_thread *thread,
                          struct rf_sums *sums)
{
    for (uint32_t i = 0; i < thread->n; i++) {
        struct rf_event *range = &thread->event[i];
        if (range->kind != RF_EVENT_START_END || range->payload_type != RF_PATH_ELSEWHERE ||
            is_out(thread, i))
            continue;
        walk->around[i] = walk->path[i] = RF_NO_INDEX;
        range->payload = 0;
        if (!find_path(walk, thread, sums, i) || !add_range(sums, thread, range, walk->path[i]))
            return false;
    }
    return true;
}

/* Adds those that ended before thread->until_ns. */
static bool add_ended(struct rf_path_walk *walk, struct rf_path_thread *thread,
                      struct rf_sums *sums, size_t n)
{
    struct rf_event *event = thread->event;
    for (size_t k = 0; k < n; k++) {
        const uint32_t i = walk->order[k];
        if (!rf_path_walk_adds(&event[i], thread->until_ns)) {
            if (event[i].end_ns == RF_NO_TIME && event[i].start_ns < thread->until_ns)
                event[i].payload_type = RF_PATH_ASSUMED;
            continue;
        }
        if (!find_path(walk, thread, sums, i))
            return false;
        if (walk->around[i] != RF_NO_INDEX)
            cover(&event[walk->around[i]], &event[i]);
    }
    for (size_t k = 0; k < n; k++) /* now it is known what those inside take */
        if (rf_path_walk_adds(&event[walk->order[k]], thread->until_ns) &&
            !add_range(sums, thread, &event[walk->order[k]], walk->path[walk->order[k]]))
            return false;
    return true;
}

enum rf_path_step rf_path_walk(struct rf_path_walk *walk, struct rf_path_thread *thread,
                               struct rf_sums *sums)
{
    enum rf_path_step step = RF_PATHS_ADDED;
    size_t n;
    if (!reserve(walk, thread->n))
        return RF_PATHS_NO_MEMORY;
    if (!find_order(walk, thread, &n))
        return RF_PATHS_CROSS;
    const bool crosses = !find_nested(walk, thread->event, n);
    walk->has_crossing |= crosses;
    if (crosses)
        step = find_crossing(walk, thread, n);
    if (step == RF_PATHS_ADDED &&
        (!add_elsewhere(walk, thread, sums) || !add_ended(walk, thread, sums, n)))
        step = RF_PATHS_NO_MEMORY;
    return step;
}
