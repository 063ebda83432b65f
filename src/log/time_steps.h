/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a clock. Some processors' counters have not every value: one of 2,450 MHz that is
 * driven by 100 MHz has every 24th and 25th in turn. Times in steps are smaller numbers. */
#ifndef RF_LOG_TIME_STEPS_H
#define RF_LOG_TIME_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/layout.h"

/* A time, and what of a tick has passed at it. */
struct rf_step_place {
    uint64_t ticks;
    uint32_t fraction; /* of RF_STEP_ONE */
};

/* Where n steps lead. */
static inline struct rf_step_place rf_steps_go(uint32_t step, struct rf_step_place from, int32_t n)
{
    const int64_t way = (int64_t)from.fraction + (int64_t)n * step;
    return (struct rf_step_place){(from.ticks + (uint64_t)(way >> RF_STEP_BITS)) &
                                      RF_WORD_TICK_MASK,
                                  (uint32_t)way & (RF_STEP_ONE - 1)};
}

/* A whole time by steps: 53 bits of ticks, and above them 11 bits of the fraction. */
static inline uint64_t rf_whole_time(uint64_t ticks, uint32_t fraction)
{
    return ticks | (uint64_t)(fraction >> (RF_STEP_BITS - 11)) << 53;
}

static inline struct rf_step_place rf_whole_place(uint64_t whole)
{
    return (struct rf_step_place){whole & RF_WORD_TICK_MASK, (uint32_t)(whole >> 53)
                                                                 << (RF_STEP_BITS - 11)};
}

/* The times of a part, each since the one before; whole: those that are RF_TIME_WHOLE there. */
struct rf_part_times {
    uint32_t since[RF_PART_SIZE / 8];
    uint64_t whole[RF_PART_SIZE / 8];
    uint32_t n, n_whole;
};

/* Turns times in ticks into times in steps: from `ticks` on, and sets the phase. A whole time has
 * its fraction above its ticks. Returns false if too many are whole. */
bool rf_steps_of_ticks(struct rf_split_step *by, uint64_t ticks, const struct rf_part_times *from,
                       struct rf_part_times *to);

/* The same with a step that is found. Returns false if the clock has none, or none that is worth
 * the while. Takes up to a millisecond. */
bool rf_steps_find(struct rf_split_step *by, uint64_t ticks, const struct rf_part_times *from,
                   struct rf_part_times *to);

#endif
