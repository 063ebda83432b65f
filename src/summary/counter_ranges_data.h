/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of NVTX in ranges: what the values of each add up to there, each value times what it
 * is weighed by, exactly. In how many recordings that was looked for is said by the tallies of the
 * kind RF_TALLY_RANGE_COUNTER, of which there are none. */
#ifndef RF_SUMMARY_COUNTER_RANGES_DATA_H
#define RF_SUMMARY_COUNTER_RANGES_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "summary/digits.h"

struct rf_summary;

/* Everything before n tells them apart. Strings are the summary's; RF_NO_STRING: there is none. */
struct rf_counter_range {
    uint32_t input;
    uint32_t domain, name; /* of the ranges; name: RF_REST_OF_NAMES of all that were not kept */
    uint32_t style;        /* RF_SUMMARY_PUSH_POP, RF_SUMMARY_START_END */
    uint32_t counter_domain, counter_name, unit;
    bool is_by_time;       /* values are weighed by nanoseconds; otherwise by 1 each */
    uint64_t n;            /* ranges in which the counter had a value; at least 1 */
    uint64_t n_not_finite; /* of them: what the values add up to is too large, and is not added */
    uint64_t n_samples;    /* in these ranges */
    uint64_t weight;       /* at least n; all four are below 2^63 */
    struct rf_digit_range sum; /* of each value times its weight */
    uint64_t range_ns;         /* the time of the ranges, by which a recording's are limited: it is
                                * not in files */
};

/* All zero: none. */
struct rf_counter_ranges {
    struct rf_counter_range *item;
    size_t n, room;
    struct rf_summary_digits digits;
};

/* Adds one, whose sum is settled; RF_OK or RF_ERR_NO_MEMORY. */
int rf_counter_range_add(struct rf_summary *summary, const struct rf_counter_range *item,
                         const struct rf_exact_sum *sum);

/* Its sum, settled. */
void rf_counter_range_sum(const struct rf_summary *summary, const struct rf_counter_range *item,
                          struct rf_exact_sum *sum);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. RF_OK or RF_ERR_NO_MEMORY. */
int rf_counter_ranges_absorb(struct rf_summary *to, const struct rf_summary *from,
                             const uint32_t *input);

/* Puts them into the order of a file, which is the same for every order of adding, and adds up
 * those that nothing tells apart. RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a number is
 * too large. */
int rf_counter_ranges_join(struct rf_summary *summary);

/* Keeps those of a summary of one input whose ranges take most time; the others become one per
 * domain, style and counter. They were joined, and are joined then; likewise. */
int rf_counter_ranges_limit(struct rf_summary *summary, size_t most);

void rf_counter_ranges_release(struct rf_counter_ranges *all);

#endif
