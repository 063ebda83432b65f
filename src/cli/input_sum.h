/* SPDX-License-Identifier: Apache-2.0 */
/* What an input adds up to, for the verbs that add up several. */
#ifndef RF_CLI_INPUT_SUM_H
#define RF_CLI_INPUT_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/input_rank.h"
#include "rangefinder/summary.h"

struct cli_sum_request {
    const struct cli_filter *filter;
    const struct cli_rank_source *rank_source;
    struct rf_summary_options options; /* path, filter and rank are set for each input */
    bool needs_samples;                /* in memory, with all events */
    bool needs_steps; /* of long recordings too, which are not summed up as they are read then */
    bool needs_collectives;      /* likewise */
    const char *recordings_only; /* an option that summaries cannot follow, without its dashes */
    char *filter_text, *filter_within; /* with --filter-rank, and without */
    bool is_quiet;
};

/* Release it. */
void cli_sum_init(struct cli_sum_request *request, const struct cli_filter *filter,
                  const struct cli_rank_source *rank_source);
void cli_sum_release(struct cli_sum_request *request);

/* Whether an input can follow what is asked for: CLI_USAGE after a message where it is a summary,
 * and options are for recordings. cli_sum_add() asks too. */
int cli_sum_check(const struct cli_sum_request *request, const char *path);

/* Adds an input: a recording, the part of it that the filter selects, or the inputs of a summary;
 * nothing of other ranks. Returns CLI_OK, or a status where there is no point in going on.
 * *has_failed: it could not be read; a message said why. */
int cli_sum_add(const struct cli_sum_request *request, rf_summary *summary, const char *path,
                size_t place, bool *has_failed);

/* Says so where the one input of a summary is of several programs. */
void cli_sum_say_programs(const rf_summary *summary);

#endif
