/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on times. */
#ifndef RF_STATS_COMPARE_JUDGE_H
#define RF_STATS_COMPARE_JUDGE_H

#include "stats/compare/compare_data.h"
#include "stats/compare/run_interval.h"

/* A time that is compared. */
struct rf_compare_judged {
    struct rf_compare_time time; /* its name and range are made when they are asked for */
    uint32_t item;
    struct rf_run_interval interval;
    double chance;                           /* with all its digits */
    const struct rf_compare_value *value;    /* by run; NULL: of the whole run, or a mean */
    const struct rf_compare_judged *carrier; /* rf_compare_find_carriers(); NULL: none */
};

struct rf_compare_counted {
    struct rf_compare_count count; /* likewise */
    uint32_t item;
    double weight; /* the more, the earlier it comes */
};

struct rf_compare_judging {
    const rf_summary *summary;
    const struct rf_compare_items *items;
    const struct rf_compare_runs *runs;
    const struct rf_compare_rows *rows;
    double effect;
    bool has_settings; /* that differ */
};

struct rf_compare_judgement {
    struct rf_compare_judged *time;
    size_t n_times, times_room;
    struct rf_compare_counted *count;
    size_t n_counts, counts_room;
    struct rf_compare_result result; /* but for step, n_settings, n_paths_folded */
};

/* Adds times to a zeroed judgement. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_compare_judge_times(struct rf_compare_judgement *judgement,
                           const struct rf_compare_judging *from);
void rf_compare_judgement_release(struct rf_compare_judgement *judgement);

/* What an interval says of a change that has to be more than an effect. is_sure: such an interval
 * is not one of many. */
enum rf_compare_verdict rf_compare_judge(const struct rf_run_interval *interval, double effect,
                                         bool is_sure);

/* The middle of values, which are sorted; 0 without any. */
double rf_compare_middle(double *value, size_t n);

#define RF_COMPARE_MISS 0.05 /* how often an interval misses the ratio */

#endif
