/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ticks to nanoseconds: straight lines between clock pairs, in whole numbers, monotone. */
#ifndef RF_MODEL_LOAD_TIMELINE_H
#define RF_MODEL_LOAD_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/reader.h"

#define RF_TIMELINE_SHIFT 40
#define RF_TIMELINE_MAX   ((int64_t)1 << 61) /* times are within plus and minus this: 73 years */

/* From ticks on: ns + ((t - ticks) * rate >> RF_TIMELINE_SHIFT). */
struct rf_timeline_line {
    uint64_t ticks;
    uint64_t rate;
    int64_t ns;
    uint64_t n_plain; /* ticks before the next line for which rf_timeline_ns() takes the short way:
                       * no time is out of bounds there */
    uint64_t high_rate; /* rate << RF_TIMELINE_HIGH, where n_plain > 0 */
};

/* Half of what is missing to 64: of ticks and of a rate with so many zero bits behind them the
 * product has whole ns in its upper word. */
#define RF_TIMELINE_HIGH 12

struct rf_timeline {
    struct rf_timeline_line *line; /* by ticks; the first one also holds before its start */
    size_t n_lines;
    int64_t epoch_mono_ns; /* CLOCK_MONOTONIC at time 0 */
    int64_t epoch_boot_ns; /* CLOCK_BOOTTIME there; 0: not taken */
    int64_t epoch_real_ns;
    uint32_t n_steps;     /* pairs between which CLOCK_MONOTONIC was set */
    int64_t step_ns;      /* by this much in all: it is left out */
    int64_t last_pair_ns; /* time of the last pair of the session */
    int64_t now_ns;       /* the time of opening, where is_same_boot */
    double hz;
    bool is_same_boot; /* the recording was made since this machine was started */
};

/* Makes the lines from the pairs of the control page, the parts' own pairs where those reach
 * further by a second or more, and a pair of now where that helps (docs/format.md, section 7). */
int rf_timeline_init(struct rf_timeline *timeline, const struct rf_log *log, struct rf_err *err);

/* Makes a second 1 + drift seconds; time 0 stays. drift is that of a clock: far below 1. */
void rf_timeline_stretch(struct rf_timeline *timeline, double drift);

void rf_timeline_release(struct rf_timeline *timeline);

/* The line that holds at ticks, beginning the search at line `hint`. */
size_t rf_timeline_find(const struct rf_timeline *timeline, size_t hint, uint64_t ticks);

_Static_assert(RF_TIMELINE_SHIFT + 2 * RF_TIMELINE_HIGH == 64, "a whole ns is the upper word's 1");

/* ticks as ns after time 0, wherever they lie. *hint: the line found last. */
int64_t rf_timeline_any_ns(const struct rf_timeline *timeline, size_t *hint, uint64_t ticks);

/* The same; begin with a hint of 0. */
static inline int64_t rf_timeline_ns(const struct rf_timeline *timeline, size_t *hint,
                                     uint64_t ticks)
{
    const struct rf_timeline_line *line = &timeline->line[*hint];
    const uint64_t delta = ticks - line->ticks;
    if (delta < line->n_plain) /* nearly always */
        return line->ns +
               (int64_t)((unsigned __int128)(delta << RF_TIMELINE_HIGH) * line->high_rate >> 64);
    return rf_timeline_any_ns(timeline, hint, ticks);
}

#endif
