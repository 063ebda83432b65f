/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an input that the filters select. Of several inputs --filter-rank leaves out those of
 * other ranks. */
#ifndef RF_CLI_INPUT_PART_H
#define RF_CLI_INPUT_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/input_rank.h"

struct cli_part_request {
    const char *path;
    size_t place; /* among the inputs */
    unsigned flags;
    const struct cli_filter *filter;
    const struct cli_rank_source *rank_source;
    const struct rf_alignment *alignment; /* as struct cli_opening */
};

/* As cli_part_open(). part->shown is NULL, and nothing is open, where the input is of another rank.
 * *is_whole, unless NULL: the rank was no reason to leave out anything of it. */
int cli_input_part_open(struct cli_part *part, const struct cli_part_request *of, bool *is_whole);

/* The same, where cli_input_part_begin() was called for it, or not. */
int cli_input_part_take(struct cli_part *part, const struct cli_part_request *of,
                        struct cli_open_ahead *ahead);

/* Begins to open the recording of an input: cli_open_ahead_begin(). */
void cli_input_part_begin(struct cli_open_ahead *ahead, const struct cli_part_request *of);

/* Whether an input of this rank is wanted; -1: its rank is unknown. */
bool cli_filter_wants_rank(const struct cli_filter *filter, int64_t rank);

/* Says that no input is of these ranks. Returns CLI_FAILED. */
int cli_say_no_rank(const struct cli_filter *filter);

#endif
