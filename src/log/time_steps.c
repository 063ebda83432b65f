/* SPDX-License-Identifier: Apache-2.0 */
#include "log/time_steps.h"

/* What is looked for: multiples of an eighth of a tick, as processors derive their clocks. */
#define PARTS      8u
#define LEAST      (4 * PARTS)
#define MOST       (256 * PARTS)
#define N_TIMES    256u /* that are looked at first, */
#define FEWEST     64u  /* and how many there must be */
#define A_MISS     16u  /* one of so many may be on no step */
#define N_AHEAD    32u  /* times by which a phase is chosen */
#define MOST_TRIES 16u

/* How many steps lead to a time that is `since` ticks later, and there; RF_TIME_WHOLE: none does.
 */
static uint32_t go_to(uint32_t step, struct rf_step_place *place, uint32_t since)
{
    const int64_t ticks = (int32_t)since;
    const int64_t wanted = ticks * (int64_t)RF_STEP_ONE - place->fraction;
    int32_t n = (int32_t)((double)wanted / step); /* this one, or one beside it */
    if (since == RF_TIME_WHOLE)
        return RF_TIME_WHOLE;
    for (int i = 0; i < 3; i++) {
        const int64_t way = (int64_t)place->fraction + (int64_t)n * step;
        if (way >> RF_STEP_BITS == ticks) {
            *place = rf_steps_go(step, *place, n);
            return (uint32_t)n;
        }
        n += way >> RF_STEP_BITS < ticks ? 1 : -1;
    }
    return RF_TIME_WHOLE;
}

static uint32_t n_that_fit(uint32_t step, uint32_t phase, const uint32_t *since, uint32_t n)
{
    struct rf_step_place place = {0, phase};
    uint32_t i = 0;
    while (i < n && go_to(step, &place, since[i]) != RF_TIME_WHOLE)
        i++;
    return i;
}

/* The phase with which most of the next times are steps. */
static uint32_t choose_phase(uint32_t step, const uint32_t *since, uint32_t n)
{
    uint32_t best = 0, n_best = 0;
    n = n < N_AHEAD ? n : N_AHEAD;
    for (uint32_t part = 0; part < PARTS && n_best < n; part++) {
        const uint32_t phase = part * (RF_STEP_ONE / PARTS);
        const uint32_t n_fit = n_that_fit(step, phase, since, n);
        if (n_fit > n_best) {
            n_best = n_fit;
            best = phase;
        }
    }
    return best;
}

bool rf_steps_of_ticks(struct rf_split_step *by, uint64_t ticks, const struct rf_part_times *from,
                       struct rf_part_times *to)
{
    const uint32_t phase = choose_phase(by->step, from->since, from->n);
    struct rf_step_place place = {ticks, phase};
    uint32_t n_whole = 0;
    by->phase = (uint16_t)phase;
    to->n = 0;
    to->n_whole = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        const uint32_t since = from->since[i];
        const uint64_t later =
            since == RF_TIME_WHOLE
                ? from->whole[n_whole++]
                : (place.ticks + (uint64_t)(int64_t)(int32_t)since) & RF_WORD_TICK_MASK;
        to->since[to->n++] = go_to(by->step, &place, since);
        if (to->since[i] != RF_TIME_WHOLE)
            continue;
        if (to->n_whole > from->n / A_MISS)
            return false;
        place.ticks = later;
        place.fraction = choose_phase(by->step, from->since + i + 1, from->n - i - 1);
        to->whole[to->n_whole++] = rf_whole_time(place.ticks, place.fraction);
    }
    return true;
}

/* ---- Which ---- */

/* Can each of the first ones be a number of steps, for itself? step: in eighths. */
static bool may_be(uint32_t step, const struct rf_part_times *times)
{
    const uint32_t end = times->n < N_TIMES ? times->n : N_TIMES;
    uint32_t n = 0, n_missed = 0;
    for (uint32_t i = 0; i < end && n_missed <= end / A_MISS; i++) {
        const uint64_t rest = (uint64_t)times->since[i] * PARTS % step;
        n += times->since[i] != 0; /* which any clock has */
        n_missed += rest >= PARTS && rest <= step - PARTS;
    }
    return n >= FEWEST && n_missed <= n / A_MISS;
}

bool rf_steps_find(struct rf_split_step *by, uint64_t ticks, const struct rf_part_times *from,
                   struct rf_part_times *to)
{
    uint32_t n_tried = 0;
    for (uint32_t parts = MOST; parts >= LEAST && n_tried < MOST_TRIES; parts--) {
        *by = (struct rf_split_step){.step = parts * (RF_STEP_ONE / PARTS)};
        if (!may_be(parts, from))
            continue;
        if (rf_steps_of_ticks(by, ticks, from, to))
            return true;
        n_tried++;
    }
    return false;
}
