/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_clock.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/load/load.h"
#include "model/load/timeline.h"

/* Pairs closer than this give no exact rate: of such, the one with the smallest error stands. */
#define SHORT_NS 100000000u
/* A rate beyond 2^20 ticks per nanosecond is no clock's. */
#define MAX_RATE_BITS 60
#define MAX_TICKS     ((__int128)1 << 62) /* from a pair: over 20 years */

int rf_cuda_clock_add(struct rf_cuda_clock *clock, const struct rf_cuda_pair *pair)
{
    if (rf_grow_array(&clock->pair, clock->n_pairs, &clock->pair_room, sizeof(*pair)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    clock->pair[clock->n_pairs++] = *pair;
    return RF_OK;
}

void rf_cuda_clock_release(struct rf_cuda_clock *clock)
{
    free(clock->pair);
    free(clock->line);
    *clock = (struct rf_cuda_clock){.pair = NULL};
}

/* ---- Lines ---- */

static int compare_pairs(const void *left, const void *right)
{
    const struct rf_cuda_pair *a = left, *b = right;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return a->cupti_ns < b->cupti_ns ? -1 : a->cupti_ns > b->cupti_ns;
}

static int use_wall_clock(struct rf_cuda_clock *clock, const struct rf_control *control)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < RF_MAX_CLOCKS && status == RF_OK; i++) {
        const struct rf_clock_pair *from = &control->clock[i];
        struct rf_cuda_pair pair = {(uint64_t)from->real_ns, from->ticks, 0};
        if (from->real_ns > 0)
            status = rf_cuda_clock_add(clock, &pair);
    }
    return status;
}

/* Ticks per nanosecond from a to b as a fixed-point number, or 0 where there is no sane one. */
static uint64_t rate_between(const struct rf_cuda_pair *a, const struct rf_cuda_pair *b)
{
    if (b->ticks <= a->ticks || b->cupti_ns <= a->cupti_ns)
        return 0;
    unsigned __int128 rate = ((unsigned __int128)(b->ticks - a->ticks) << RF_CUDA_RATE_SHIFT) /
                             (b->cupti_ns - a->cupti_ns);
    return rate >> MAX_RATE_BITS == 0 ? (uint64_t)rate : 0;
}

/* Thins the pairs, which are sorted, so that each gives a rate with the one before it. Where the
 * wall clock was set back, what it told until it was there again has two meanings: the first one
 * stands. */
static uint32_t thin(struct rf_cuda_pair *pair, uint32_t n)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_cuda_pair *last = n_kept > 0 ? &pair[n_kept - 1] : NULL;
        bool is_far = last != NULL && pair[i].cupti_ns > last->cupti_ns &&
                      pair[i].cupti_ns - last->cupti_ns >= SHORT_NS;
        bool is_better = last != NULL && !is_far && pair[i].cupti_ns >= last->cupti_ns &&
                         pair[i].error_ns < last->error_ns &&
                         (n_kept == 1 || rate_between(last - 1, &pair[i]) != 0);
        if (last == NULL || (is_far && rate_between(last, &pair[i]) != 0))
            pair[n_kept++] = pair[i];
        else if (is_better)
            *last = pair[i];
    }
    return n_kept;
}

static uint64_t rate_of_hz(double hz)
{
    double rate = hz / 1e9 * (double)(1ULL << RF_CUDA_RATE_SHIFT);
    return rate >= 1 && rate < (double)(1ULL << MAX_RATE_BITS) ? (uint64_t)rate
                                                               : 1ULL << RF_CUDA_RATE_SHIFT;
}

static void add_line(struct rf_cuda_clock *clock, uint64_t cupti_ns, uint64_t ticks, uint64_t rate)
{
    clock->line[clock->n_lines++] = (struct rf_cuda_line){cupti_ns, ticks, rate};
}

/* Between two pairs. No clock is that much too fast or slow: it was set in between. Then either
 * pair's time goes on, at the usual rate, and they meet in the middle: of a clock that was set
 * forward by more than lies between the pairs, no time is in doubt. */
static void add_lines(struct rf_cuda_clock *clock, const struct rf_cuda_pair *a,
                      const struct rf_cuda_pair *b, uint64_t usual)
{
    uint64_t rate = rate_between(a, b), off = rate > usual ? rate - usual : usual - rate;
    if (off <= usual / 64) {
        add_line(clock, a->cupti_ns, a->ticks, rate);
        return;
    }
    uint64_t half = (b->cupti_ns - a->cupti_ns) / 2;
    uint64_t ticks = (uint64_t)((unsigned __int128)half * usual >> RF_CUDA_RATE_SHIFT);
    add_line(clock, a->cupti_ns, a->ticks, usual);
    add_line(clock, b->cupti_ns - half, b->ticks - ticks, usual);
}

int rf_cuda_clock_finish(struct rf_cuda_clock *clock, const struct rf_control *control,
                         double ticks_hz)
{
    if (clock->n_pairs == 0 && use_wall_clock(clock, control) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (clock->n_pairs > 0)
        qsort(clock->pair, clock->n_pairs, sizeof(*clock->pair), compare_pairs);
    uint32_t n = thin(clock->pair, clock->n_pairs);
    clock->line = calloc(2 * (size_t)n + 1, sizeof(*clock->line));
    if (clock->line == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i + 1 < n; i++)
        add_lines(clock, &clock->pair[i], &clock->pair[i + 1], rate_of_hz(ticks_hz));
    if (n == 1)
        add_line(clock, clock->pair[0].cupti_ns, clock->pair[0].ticks, rate_of_hz(ticks_hz));
    if (n == 0) /* salvaged, without any clock */
        clock->line[clock->n_lines++].rate = 1ULL << RF_CUDA_RATE_SHIFT;
    return RF_OK;
}

/* ---- Times ---- */

static uint32_t find_line(const struct rf_cuda_clock *clock, uint64_t cupti_ns)
{
    uint32_t low = 0, high = clock->n_lines;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (clock->line[middle].cupti_ns <= cupti_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t rf_cuda_ticks(struct rf_cuda_clock *clock, uint64_t cupti_ns)
{
    const struct rf_cuda_line *line = &clock->line[clock->last];
    if (cupti_ns < line->cupti_ns ||
        (clock->last + 1 < clock->n_lines && cupti_ns >= line[1].cupti_ns)) {
        clock->last = find_line(clock, cupti_ns);
        line = &clock->line[clock->last];
    }
    /* an arithmetic shift rounds down on both sides of the start */
    __int128 delta = (__int128)cupti_ns - (__int128)line->cupti_ns;
    __int128 ticks = delta * (__int128)line->rate >> RF_CUDA_RATE_SHIFT;
    ticks = ticks > MAX_TICKS ? MAX_TICKS : ticks < -MAX_TICKS ? -MAX_TICKS : ticks;
    return line->ticks + (uint64_t)ticks;
}

int64_t rf_cuda_ns(struct rf_load *load, uint32_t process, uint64_t cupti_ns)
{
    return rf_timeline_ns(&load->timeline, &load->cuda.line,
                          rf_cuda_ticks(&load->cuda.clock[process], cupti_ns));
}

int rf_cuda_make_clocks(struct rf_cuda_clock **clock, size_t n)
{
    if (*clock == NULL)
        *clock = calloc(n + 1, sizeof(**clock));
    return *clock != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}
