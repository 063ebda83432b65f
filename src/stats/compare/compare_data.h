/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared: all runs of both sides in one summary, and what is made of it. */
#ifndef RF_STATS_COMPARE_DATA_H
#define RF_STATS_COMPARE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/compare.h"
#include "summary/summary_data.h"

/* A path of names, as the comparison has it: names of steps, and with fold_numbers all names, have
 * one # for each number. */
struct rf_compare_item {
    uint32_t parent; /* an earlier one, or RF_NO_INDEX */
    uint32_t domain, name;
    bool is_step; /* its name is that of the step, and no step is around it */
    bool is_in_step;
};

struct rf_compare_items {
    struct rf_compare_item *item;
    size_t n, room;
    struct rf_map of; /* (parent, domain), name -> item */
    uint32_t *of_path;
};

/* The name of the steps, folded. */
struct rf_compare_step {
    uint32_t domain, name; /* strings of the summary */
    bool is_any_domain, is_there;
};

/* What a run has of an item. */
struct rf_compare_value {
    uint64_t n, total;
    double median;
    uint64_t n_gpu; /* of ranges: pieces of GPU work that they are the innermost around */
    const struct rf_summary_row *row; /* all of them together */
    bool is_own;                      /* the row is no row of the summary, but a sum of some */
};

/* An item and a kind of it. */
struct rf_compare_row {
    uint32_t item; /* RF_NO_INDEX: all steps */
    uint32_t kind; /* enum rf_summary_kind */
    size_t first;  /* of rf_compare_rows.value, by run */
};

struct rf_compare_rows {
    struct rf_compare_row *row; /* by item, then kind */
    size_t n, room;
    struct rf_compare_value *value;
    size_t n_values, values_room;
    struct rf_compare_value *step;   /* by run */
    struct rf_summary_row *step_sum; /* by run: their rows */
    size_t n_step_sums;
    bool has_steps; /* all runs */
};

struct rf_compare_run {
    int side;
    uint64_t duration_ns;
    uint64_t n_paths_folded;
};

struct rf_compare_runs {
    struct rf_compare_run *run;
    size_t n;
    uint32_t *of_input;
    uint64_t n_of[2]; /* by side */
};

#endif
