/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/timeline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "log/liveness.h"
#include "log/ticks.h"

#define SHORT_NS      10000000   /* pairs closer than this give no exact rate */
#define TINY_NS       200000     /* and closer than this none that is good for the run itself */
#define FAR_NS        1000000000 /* a part's own pair is used if it lies this far outside */
#define MAX_PAIRS     (RF_MAX_CLOCKS + 3u)
#define MAX_MONO_NS   ((int64_t)1 << 60)
#define MAX_RATE_BITS 56 /* 65,536 ns per tick */

struct pairs {
    struct rf_clock_pair pair[MAX_PAIRS];
    size_t n;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct rf_clock_pair *a = left, *b = right;
    return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* Nanoseconds per tick from a to b as a fixed-point number, or 0 where there is no sane one. */
static uint64_t rate_between(const struct rf_clock_pair *a, const struct rf_clock_pair *b)
{
    if (b->ticks <= a->ticks || b->mono_ns <= a->mono_ns)
        return 0;
    unsigned __int128 rate =
        ((unsigned __int128)(uint64_t)(b->mono_ns - a->mono_ns) << RF_TIMELINE_SHIFT) /
        (b->ticks - a->ticks);
    return rate >> MAX_RATE_BITS == 0 ? (uint64_t)rate : 0;
}

static bool is_pair_usable(const struct rf_clock_pair *pair)
{
    return pair->mono_ns > -MAX_MONO_NS && pair->mono_ns < MAX_MONO_NS;
}

/* The pairs of the session by ticks, thinned so that each gives a rate with the one before it. */
static void add_session_pairs(struct pairs *out, const struct rf_control *control)
{
    struct pairs all = {.n = 0};
    for (size_t i = 0; i < RF_MAX_CLOCKS; i++)
        if (control->clock[i].real_ns != 0 && is_pair_usable(&control->clock[i]))
            all.pair[all.n++] = control->clock[i];
    qsort(all.pair, all.n, sizeof(all.pair[0]), compare_pairs);
    for (size_t i = 0; i < all.n; i++) {
        const struct rf_clock_pair *pair = &all.pair[i];
        const struct rf_clock_pair *last = out->n > 0 ? &out->pair[out->n - 1] : NULL;
        if (last == NULL || (rate_between(last, pair) != 0 &&
                             (pair->mono_ns - last->mono_ns >= SHORT_NS || i + 1 == all.n)))
            out->pair[out->n++] = *pair;
    }
    /* a last pair that is too close to the one before it replaces it, unless that is the first */
    if (out->n > 2 && out->pair[out->n - 1].mono_ns - out->pair[out->n - 2].mono_ns < SHORT_NS) {
        out->pair[out->n - 2] = out->pair[out->n - 1];
        out->n--;
    }
}

/* Adds the parts' pairs that lie outermost, where the session's do not reach that far: its command
 * line was killed early. */
static void add_part_pairs(struct pairs *out, const struct rf_log *log)
{
    struct rf_clock_pair first = {.mono_ns = 0}, last = {.mono_ns = 0};
    for (size_t i = 0; i < log->n_parts; i++) {
        struct rf_clock_pair pair = {.ticks = log->part[i].ticks, .mono_ns = log->part[i].mono_ns};
        if (pair.mono_ns <= 0 || !is_pair_usable(&pair))
            continue;
        if (first.mono_ns == 0 || pair.ticks < first.ticks)
            first = pair;
        if (last.mono_ns == 0 || pair.ticks > last.ticks)
            last = pair;
    }
    if (first.mono_ns == 0)
        return;
    if (out->n == 0)
        out->pair[out->n++] = first;
    const struct rf_clock_pair *end = &out->pair[out->n - 1];
    int64_t min_gap = out->n == 1 ? 1 : FAR_NS;
    if (rate_between(end, &last) != 0 && last.mono_ns - end->mono_ns >= min_gap)
        out->pair[out->n++] = last;
}

static int64_t span_ns(const struct pairs *pairs)
{
    return pairs->n < 2 ? 0 : pairs->pair[pairs->n - 1].mono_ns - pairs->pair[0].mono_ns;
}

static int make_lines(struct rf_timeline *timeline, const struct pairs *pairs, struct rf_err *err)
{
    const struct rf_clock_pair *first = &pairs->pair[0], *last = &pairs->pair[pairs->n - 1];
    timeline->line = calloc(pairs->n, sizeof(*timeline->line));
    if (timeline->line == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    timeline->epoch_mono_ns = first->mono_ns;
    timeline->epoch_boot_ns = first->boot_ns;
    timeline->epoch_real_ns = first->real_ns;
    for (size_t i = 0; i + 1 < pairs->n; i++) {
        timeline->line[timeline->n_lines++] =
            (struct rf_timeline_line){.ticks = pairs->pair[i].ticks,
                                      .rate = rate_between(&pairs->pair[i], &pairs->pair[i + 1]),
                                      .ns = pairs->pair[i].mono_ns - first->mono_ns};
    }
    if (timeline->n_lines == 0) /* one pair and nothing else: a tick is taken for a nanosecond */
        timeline->line[timeline->n_lines++] =
            (struct rf_timeline_line){first->ticks, 1ULL << RF_TIMELINE_SHIFT, 0};
    timeline->hz = last->mono_ns > first->mono_ns ? (double)(last->ticks - first->ticks) * 1e9 /
                                                        (double)(last->mono_ns - first->mono_ns)
                                                  : 1e9;
    return RF_OK;
}

int rf_timeline_init(struct rf_timeline *timeline, const struct rf_log *log, struct rf_err *err)
{
    const struct rf_control *control = &log->control;
    struct pairs pairs = {.n = 0};
    struct rf_clock_pair now = {.mono_ns = 0};
    memset(timeline, 0, sizeof(*timeline));
    add_session_pairs(&pairs, control);
    int64_t last_ns = span_ns(&pairs);
    timeline->is_same_boot = pairs.n > 0 && rf_is_this_boot(control);
    if (timeline->is_same_boot)
        now = rf_clock_pair_take(control->clock_kind);
    /* without a pair of now, if possible, a recording has the same times whenever it is read */
    bool is_done = control->is_finished || log->is_packed;
    int64_t enough_ns = is_done ? TINY_NS : SHORT_NS;
    if (timeline->is_same_boot && (span_ns(&pairs) < enough_ns || !is_done)) {
        const struct rf_clock_pair *end = &pairs.pair[pairs.n - 1];
        if (pairs.n > 1 && now.mono_ns - end->mono_ns < SHORT_NS)
            pairs.n--; /* the pair before it and now give the better line */
        else if (pairs.n > 1 && span_ns(&pairs) < SHORT_NS)
            pairs.n = 1;
        end = &pairs.pair[pairs.n - 1];
        if (rate_between(end, &now) != 0)
            pairs.pair[pairs.n++] = now;
    } else {
        add_part_pairs(&pairs, log);
    }
    if (pairs.n == 0) /* salvaged, without any clock */
        pairs.pair[pairs.n++] = (struct rf_clock_pair){.mono_ns = 0};
    int status = make_lines(timeline, &pairs, err);
    timeline->last_pair_ns = last_ns;
    if (timeline->is_same_boot)
        timeline->now_ns = now.mono_ns - timeline->epoch_mono_ns;
    return status;
}

void rf_timeline_release(struct rf_timeline *timeline)
{
    free(timeline->line);
    memset(timeline, 0, sizeof(*timeline));
}

size_t rf_timeline_find(const struct rf_timeline *timeline, size_t hint, uint64_t ticks)
{
    size_t low = 0, high = timeline->n_lines;
    if (hint + 1 < timeline->n_lines && ticks >= timeline->line[hint + 1].ticks &&
        (hint + 2 == timeline->n_lines || ticks < timeline->line[hint + 2].ticks))
        return hint + 1;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (timeline->line[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return low;
}
