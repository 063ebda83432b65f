/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter left of a recording that was summed up as it was read: of the events there are only
 * sums, and these numbers. */
#ifndef RF_MODEL_FILTER_SELECTED_H
#define RF_MODEL_FILTER_SELECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter/filter.h"
#include "rangefinder/rangefinder.h"

struct rf_selected_thread {
    uint64_t n_events;
    int64_t first_ns; /* where n_events > 0: the first of them */
};

struct rf_selected {
    char *filter, *ranks;            /* of the options; see rf_selected_is_of() */
    struct rf_filter_window *window; /* of the ranges of rf_filter_options.nvtx */
    size_t n_windows;
    bool has_windows;
    bool has_gpus; /* there is work of all of rf_filter_options.gpus, though it is not kept */
    struct rf_selected_thread *thread; /* by index, n_threads of the recording */
    uint64_t n_ranges, n_marks, n_cut, n_cut_at_start;
    uint64_t n_cut_by[RF_CUT_REASONS];
    uint64_t *of_domain; /* ranges and marks, by index */
};

/* Made for a filter, but for the members that are not yet known. NULL: out of memory. */
struct rf_selected *rf_selected_new(const struct rf_filter_options *options);

/* Whether it is of a filter. That may be without ranks, where all processes have one of those. */
bool rf_selected_is_of(const struct rf_selected *selected, const struct rf_filter_options *options);

void rf_selected_free(struct rf_selected *selected); /* or NULL */

#endif
