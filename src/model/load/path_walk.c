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
static inline bool is_settled(const struct rf_path_thread *thread, const struct rf_event *range,
                              size_t i)
{
    return range->payload_type == RF_PATH_ELSEWHERE ||
           (range->payload_type != RF_TYPE_EXTENDED && end_of(range) >= thread->settled_ns &&
            (i < thread->n_kept || range->start_ns >= thread->settled_ns));
}

static inline bool is_out(const struct rf_path_thread *thread, size_t i)
{
    return thread->is_out != NULL && thread->is_out[i] != 0;
}

/* Ranges around the next one, which come in order. */
struct nesting {
    size_t n_open;
    int64_t top_end_ns; /* of the innermost one */
    int64_t touch_ns;   /* one ended there, and the next began; RF_NO_TIME: none */
};

/* What projection_sweep.c does. Returns false where it finds that ranges cross. */
static inline bool nest(struct rf_path_walk *walk, const struct rf_event *event, uint32_t i,
                        int64_t start_ns, int64_t end_ns, struct nesting *nesting)
{
    uint32_t *const open = walk->open;
    if (start_ns == nesting->touch_ns && end_ns == start_ns && start_ns != RF_NO_TIME)
        return false; /* it lies in both */
    while (nesting->n_open > 0 && nesting->top_end_ns < end_ns) {
        if (nesting->top_end_ns > start_ns)
            return false;
        if (nesting->top_end_ns == start_ns)
            nesting->touch_ns = start_ns;
        if (--nesting->n_open > 0)
            nesting->top_end_ns = end_of(&event[open[nesting->n_open - 1]]);
    }
    walk->around[i] = nesting->n_open > 0 ? open[nesting->n_open - 1] : RF_NO_INDEX;
    walk->path[i] = RF_NO_INDEX;
    open[nesting->n_open++] = i;
    nesting->top_end_ns = end_ns;
    return true;
}

/* Whether one comes behind another one of a lower index. */
static inline bool is_behind(const struct rf_event *event, const struct rf_event *before)
{
    return event->start_ns > before->start_ns ||
           (event->start_ns == before->start_ns && end_of(event) <= end_of(before));
}

/* What find_order() found. */
struct order {
    size_t n;
    size_t n_nested; /* the first ones: those around them are known */
    bool has_elsewhere;
};

/* Whether a start/end range can lie in others. What begins behind one that is open waits. */
static bool can_lie(struct rf_path_thread *thread, const struct rf_event *range,
                    struct order *order)
{
    if (range->end_ns == RF_NO_TIME && !rf_path_walk_assumes(range)) {
        if (range->start_ns < thread->until_ns)
            thread->until_ns = range->start_ns;
        return false;
    }
    order->has_elsewhere |= range->payload_type == RF_PATH_ELSEWHERE;
    return range->payload_type != RF_PATH_ELSEWHERE;
}

/* Puts the ranges into walk->order that can lie in others, and finds those around them as long as
 * they come in order and do not cross. Returns false if one of them cannot be added. */
static __attribute__((noinline)) bool find_order(struct rf_path_walk *walk,
                                                 struct rf_path_thread *thread, struct order *order)
{
    const struct rf_event *event = thread->event, *last = NULL;
    const size_t n_events = thread->n;
    struct nesting nesting = {.touch_ns = RF_NO_TIME};
    bool is_sorted = true;
    size_t n = 0, n_nested = 0;
    *order = (struct order){.n = 0};
    for (size_t i = 0; i < n_events; i++) {
        const struct rf_event *range = &event[i];
        if (range->kind != RF_EVENT_PUSH_POP && range->kind != RF_EVENT_START_END)
            continue;
        if (!is_settled(thread, range, i))
            return false;
        if (is_out(thread, i) ||
            (range->kind == RF_EVENT_START_END && !can_lie(thread, range, order)))
            continue;
        is_sorted = is_sorted && (last == NULL || is_behind(range, last));
        if (is_sorted && n == n_nested)
            n_nested += nest(walk, event, (uint32_t)i, range->start_ns, end_of(range), &nesting);
        walk->order[n++] = (uint32_t)i;
        last = range;
    }
    if (!is_sorted)
        qsort_r(walk->order, n, sizeof(*walk->order), compare_indices, thread->event);
    order->n = n;
    order->n_nested = is_sorted ? n_nested : 0;
    return true;
}

/* ---- Ranges around ---- */

/* The same of all. Returns false where it finds that ranges cross. */
static bool find_nested(struct rf_path_walk *walk, const struct rf_event *event, size_t n)
{
    struct nesting nesting = {.touch_ns = RF_NO_TIME};
    for (size_t k = 0; k < n; k++)
        if (!nest(walk, event, walk->order[k], event[walk->order[k]].start_ns,
                  end_of(&event[walk->order[k]]), &nesting))
            return false;
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

/* Gives a range its sum, in that of the range around it (1 + index; 0: none). Returns the index;
 * RF_NO_INDEX: out of memory. */
static inline uint32_t find_sum(struct rf_path_walk *walk, const struct rf_path_thread *thread,
                                struct rf_sums *sums, uint32_t i, uint32_t around)
{
    const struct rf_event *event = &thread->event[i];
    const struct rf_sum_key key = {event->domain, event->name, event->kind, around};
    const struct rf_sum_first seen = {thread->first.process, thread->first.serial,
                                      thread->first.tid,
                                      (uint64_t)event->start_ns ^ (uint64_t)1 << 63};
    const uint32_t path = walk->path[i] = rf_sums_index(sums, &key);
    if (path != RF_NO_INDEX && rf_sum_is_first(&seen, &sums->sum[path].first))
        sums->sum[path].first = seen;
    return path;
}

/* The same of those around it before; walk->open is free by now. */
static __attribute__((noinline)) uint32_t find_sums(struct rf_path_walk *walk,
                                                    const struct rf_path_thread *thread,
                                                    struct rf_sums *sums, uint32_t i)
{
    size_t n = 0;
    for (; i != RF_NO_INDEX && walk->path[i] == RF_NO_INDEX; i = walk->around[i])
        walk->open[n++] = i;
    uint32_t around = i != RF_NO_INDEX ? walk->path[i] + 1 : 0, path = RF_NO_INDEX;
    for (; n > 0; around = path + 1) {
        path = find_sum(walk, thread, sums, walk->open[--n], around);
        if (path == RF_NO_INDEX)
            break;
    }
    return path;
}

/* The same of one that lies in a range, or in none. */
static inline uint32_t find_path(struct rf_path_walk *walk, const struct rf_path_thread *thread,
                                 struct rf_sums *sums, uint32_t i, uint32_t around)
{
    if (walk->path[i] != RF_NO_INDEX)
        return walk->path[i];
    if (around == RF_NO_INDEX)
        return find_sum(walk, thread, sums, i, 0);
    return walk->path[around] != RF_NO_INDEX
               ? find_sum(walk, thread, sums, i, walk->path[around] + 1)
               : find_sums(walk, thread, sums, i);
}

static inline bool add_range(struct rf_sums *sums, const struct rf_path_thread *thread,
                             const struct rf_event *range, uint32_t path)
{
    const struct rf_sum_place place = {(uint64_t)range->end_ns - (uint64_t)range->start_ns,
                                       range->start_ns, thread->owner};
    if (thread->goes_on && range->cut == RF_CUT_LIVE)
        return true;
    rf_sum_add_ns(&sums->sum[path].self_ns, place.duration_ns - range->payload);
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
        const uint32_t path = find_path(walk, thread, sums, i, RF_NO_INDEX);
        if (path == RF_NO_INDEX || !add_range(sums, thread, range, path))
            return false;
    }
    return true;
}

/* Whether the next range lies in one; where they nest, none does if that one does not. */
static inline bool is_around_next(const struct rf_path_walk *walk, size_t k, size_t n)
{
    return k + 1 < n && walk->around[walk->order[k + 1]] == walk->order[k];
}

/* Adds those of walk->order that ended before thread->until_ns: those around others when it is
 * known what those inside take. */
static __attribute__((noinline)) bool add_ended(struct rf_path_walk *walk,
                                                struct rf_path_thread *thread, struct rf_sums *sums,
                                                size_t n, bool crosses)
{
    struct rf_event *event = thread->event;
    size_t n_around = 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t i = walk->order[k];
        const bool is_around = crosses || is_around_next(walk, k, n);
        if (!rf_path_walk_adds(&event[i], thread->until_ns)) {
            if (event[i].end_ns == RF_NO_TIME && event[i].start_ns < thread->until_ns)
                event[i].payload_type = RF_PATH_ASSUMED;
            continue;
        }
        const uint32_t around = walk->around[i];
        const uint32_t path = find_path(walk, thread, sums, i, around);
        if (path == RF_NO_INDEX)
            return false;
        if (around != RF_NO_INDEX)
            cover(&event[around], &event[i]);
        if (is_around)
            walk->order[n_around++] = i;
        else if (!add_range(sums, thread, &event[i], path))
            return false;
    }
    for (size_t k = 0; k < n_around; k++)
        if (!add_range(sums, thread, &event[walk->order[k]], walk->path[walk->order[k]]))
            return false;
    return true;
}

enum rf_path_step rf_path_walk(struct rf_path_walk *walk, struct rf_path_thread *thread,
                               struct rf_sums *sums)
{
    enum rf_path_step step = RF_PATHS_ADDED;
    struct order order;
    if (!reserve(walk, thread->n))
        return RF_PATHS_NO_MEMORY;
    if (!find_order(walk, thread, &order))
        return RF_PATHS_CROSS;
    const bool crosses = order.n_nested < order.n && !find_nested(walk, thread->event, order.n);
    walk->has_crossing |= crosses;
    if (crosses)
        step = find_crossing(walk, thread, order.n);
    if (step == RF_PATHS_ADDED && ((order.has_elsewhere && !add_elsewhere(walk, thread, sums)) ||
                                   !add_ended(walk, thread, sums, order.n, crosses)))
        step = RF_PATHS_NO_MEMORY;
    return step;
}
