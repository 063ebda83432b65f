/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/timeline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "log/clock_reading.h"
#include "log/liveness.h"

#define SHORT_NS      10000000   /* pairs closer than this give no exact rate */
#define TINY_NS       200000     /* and closer than this none that is good for the run itself */
#define FAR_NS        1000000000 /* a part's own pair is used if it lies this far outside */
#define MAX_PAIRS     (RF_MAX_CLOCKS + 3u)
#define MAX_MONO_NS   ((int64_t)1 << 61)
#define MAX_RATE_BITS 56      /* 65,536 ns per tick */
#define OFF_SHARE     64      /* a rate that is off by more than a 64th is that of no clock */
#define STEP_NS       1000000 /* and off by this much, so that it is no reading that came late */
#define MIN_RATES     3       /* of these most say what the usual rate is */
#define SAME_NS       1000000 /* two clocks that run together keep their distance to this */

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

static bool is_like(uint64_t rate, uint64_t usual)
{
    return (rate > usual ? rate - usual : usual - rate) <= usual / OFF_SHARE;
}

static bool is_taken(const struct rf_control *control, size_t i)
{
    return i < RF_N_QUALITIES && (control->quality[i].status & RF_CLOCK_TAKEN) != 0 &&
           control->clock[i].real_ns != 0 && is_pair_usable(&control->clock[i]);
}

/* The first pair that the command line took; NULL: it is not said which these are. */
static const struct rf_clock_pair *first_taken(const struct rf_control *control)
{
    const struct rf_clock_pair *first = NULL;
    for (size_t i = 0; i < RF_N_QUALITIES; i++)
        if (is_taken(control, i) && (first == NULL || control->clock[i].ticks < first->ticks))
            first = &control->clock[i];
    return first;
}

/* Whether a pair that a program took has the same CLOCK_MONOTONIC: a program may be in another time
 * namespace, or be told another time. */
static bool has_same_clock(const struct rf_clock_pair *pair, const struct rf_clock_pair *taken)
{
    __int128 off = (__int128)pair->real_ns - pair->mono_ns - taken->real_ns + taken->mono_ns;
    return off >= -SAME_NS && off <= SAME_NS;
}

/* The pairs of the session by ticks, thinned so that each gives a rate with the one before it. */
static void add_session_pairs(struct pairs *out, const struct rf_control *control)
{
    struct pairs all = {.n = 0};
    const struct rf_clock_pair *taken = first_taken(control);
    for (size_t i = 0; i < RF_MAX_CLOCKS; i++)
        if (control->clock[i].real_ns != 0 && is_pair_usable(&control->clock[i]) &&
            (taken == NULL || is_taken(control, i) || has_same_clock(&control->clock[i], taken)))
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
    uint64_t rate = rate_between(end, &last);
    if (rate != 0 && last.mono_ns - end->mono_ns >= min_gap &&
        (out->n == 1 || is_like(rate, rate_between(&out->pair[0], end))))
        out->pair[out->n++] = last;
}

static int64_t span_ns(const struct pairs *pairs)
{
    return pairs->n < 2 ? 0 : pairs->pair[pairs->n - 1].mono_ns - pairs->pair[0].mono_ns;
}

static int compare_rates(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The rate that most pairs have; 0: they are too few to say. */
static uint64_t usual_rate(const struct pairs *pairs)
{
    uint64_t rate[MAX_PAIRS];
    size_t n = 0;
    for (; n + 1 < pairs->n; n++)
        rate[n] = rate_between(&pairs->pair[n], &pairs->pair[n + 1]);
    qsort(rate, n, sizeof(rate[0]), compare_rates);
    return n >= MIN_RATES ? rate[(n - 1) / 2] : 0;
}

static uint64_t least(unsigned __int128 a, uint64_t b)
{
    return a < b ? (uint64_t)a : b;
}

/* How many ticks of lines are plain. What lies before a line must not be: as a difference that
 * wraps it is more than all that can follow. */
static void find_plain(struct rf_timeline *timeline)
{
    const uint64_t limit = UINT64_MAX >> RF_TIMELINE_HIGH;
    for (size_t i = 0; i < timeline->n_lines; i++) {
        struct rf_timeline_line *line = &timeline->line[i];
        const uint64_t end = i + 1 < timeline->n_lines ? line[1].ticks : UINT64_MAX;
        const bool is_plain =
            line->rate <= limit && line->ns >= -RF_TIMELINE_MAX && line->ns < RF_TIMELINE_MAX;
        const unsigned __int128 room_ns =
            is_plain ? (unsigned __int128)(RF_TIMELINE_MAX - line->ns) : 0;
        line->high_rate = line->rate << RF_TIMELINE_HIGH;
        line->n_plain = least((room_ns << RF_TIMELINE_SHIFT) / (line->rate > 0 ? line->rate : 1),
                              least(end - line->ticks, limit));
    }
}

/* From a pair to the next one, with the rate there. Where CLOCK_MONOTONIC was set, or is not what
 * it says, the counter goes on at its usual rate. */
static int64_t add_line(struct rf_timeline *timeline, const struct rf_clock_pair *pair,
                        uint64_t usual, int64_t ns)
{
    uint64_t rate = rate_between(pair, pair + 1);
    int64_t passed_ns = pair[1].mono_ns - pair->mono_ns;
    unsigned __int128 counted =
        (unsigned __int128)(pair[1].ticks - pair->ticks) * usual >> RF_TIMELINE_SHIFT;
    __int128 off = (__int128)passed_ns - (__int128)counted;
    if (usual != 0 && !is_like(rate, usual) && (off > STEP_NS || off < -STEP_NS) &&
        counted < (unsigned __int128)RF_TIMELINE_MAX) {
        timeline->n_steps++;
        timeline->step_ns += (int64_t)off;
        passed_ns = (int64_t)counted;
        rate = usual;
    }
    timeline->line[timeline->n_lines++] =
        (struct rf_timeline_line){.ticks = pair->ticks, .rate = rate, .ns = ns};
    return ns > RF_TIMELINE_MAX - passed_ns ? RF_TIMELINE_MAX : ns + passed_ns;
}

static int make_lines(struct rf_timeline *timeline, const struct pairs *pairs, struct rf_err *err)
{
    const struct rf_clock_pair *first = &pairs->pair[0], *last = &pairs->pair[pairs->n - 1];
    const uint64_t usual = usual_rate(pairs);
    int64_t ns = 0;
    timeline->line = calloc(pairs->n, sizeof(*timeline->line));
    if (timeline->line == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    timeline->epoch_mono_ns = first->mono_ns;
    timeline->epoch_boot_ns = first->boot_ns;
    timeline->epoch_real_ns = first->real_ns;
    for (size_t i = 0; i + 1 < pairs->n; i++)
        ns = add_line(timeline, &pairs->pair[i], usual, ns);
    if (timeline->n_lines == 0) /* one pair and nothing else: a tick is taken for a nanosecond */
        timeline->line[timeline->n_lines++] =
            (struct rf_timeline_line){.ticks = first->ticks, .rate = 1ULL << RF_TIMELINE_SHIFT};
    find_plain(timeline);
    timeline->hz = ns > 0 ? (double)(last->ticks - first->ticks) * 1e9 / (double)ns : 1e9;
    return RF_OK;
}

/* Whether CLOCK_MONOTONIC of this process is the recording's. */
static bool is_here(const struct rf_control *control)
{
    return rf_is_this_boot(control) &&
           (control->time_namespace == 0 || control->time_namespace == rf_time_namespace());
}

int rf_timeline_init(struct rf_timeline *timeline, const struct rf_log *log, struct rf_err *err)
{
    const struct rf_control *control = &log->control;
    struct pairs pairs = {.n = 0};
    struct rf_clock_pair now = {.mono_ns = 0};
    memset(timeline, 0, sizeof(*timeline));
    add_session_pairs(&pairs, control);
    int64_t last_ns = span_ns(&pairs);
    if (pairs.n > 0 && is_here(control))
        now = rf_clock_reading_take(control->clock_kind).pair;
    timeline->is_same_boot = now.mono_ns != 0 && rate_between(&pairs.pair[0], &now) != 0;
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
    timeline->last_pair_ns = last_ns - timeline->step_ns;
    if (timeline->is_same_boot)
        timeline->now_ns = now.mono_ns - timeline->epoch_mono_ns - timeline->step_ns;
    return status;
}

static int64_t stretched(int64_t ns, double drift)
{
    return ns + (int64_t)((double)ns * drift);
}

/* Each line begins where the one before it ends, so that times stay in order. */
void rf_timeline_stretch(struct rf_timeline *timeline, double drift)
{
    for (size_t i = 0; i < timeline->n_lines; i++) {
        struct rf_timeline_line *line = &timeline->line[i];
        const uint64_t rate = line->rate + (uint64_t)(int64_t)((double)line->rate * drift);
        line->rate = rate > 0 && rate >> MAX_RATE_BITS == 0 ? rate : line->rate;
        if (i > 0) {
            const uint64_t passed = line->ticks - line[-1].ticks;
            line->ns = line[-1].ns +
                       (int64_t)((unsigned __int128)passed * line[-1].rate >> RF_TIMELINE_SHIFT);
        }
    }
    find_plain(timeline);
    timeline->last_pair_ns = stretched(timeline->last_pair_ns, drift);
    timeline->now_ns = stretched(timeline->now_ns, drift);
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

int64_t rf_timeline_any_ns(const struct rf_timeline *timeline, size_t *hint, uint64_t ticks)
{
    const struct rf_timeline_line *line = &timeline->line[*hint];
    if (ticks < line->ticks || (*hint + 1 < timeline->n_lines && ticks >= line[1].ticks)) {
        *hint = rf_timeline_find(timeline, *hint, ticks);
        line = &timeline->line[*hint];
    }
    const int64_t delta = (int64_t)(ticks - line->ticks);
    /* an arithmetic shift rounds down on both sides of the start */
    __int128 ns = line->ns + (((__int128)delta * (__int128)line->rate) >> RF_TIMELINE_SHIFT);
    ns = ns > RF_TIMELINE_MAX ? RF_TIMELINE_MAX : ns;
    return (int64_t)(ns < -RF_TIMELINE_MAX ? -RF_TIMELINE_MAX : ns);
}
