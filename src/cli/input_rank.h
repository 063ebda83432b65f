/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of a recording: what it knows, or what --rank-from says. */
#ifndef RF_CLI_INPUT_RANK_H
#define RF_CLI_INPUT_RANK_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/option_parser.h"
#include "rangefinder/summary.h"

/* clang-format off */
#define CLI_RANK_FROM_OPTION(id)                                                                   \
    {id, '\0', "rank-from", CLI_ARG_VALUE, "VARIABLE|REGEX|order",                                 \
     "What the column Rank shows, also of one FILE. A variable that recordings keep; the number "  \
     "in the first group of an expression in the path, as in 'rank([0-9]+)'; or the place in the " \
     "order of FILEs. Default: the rank that the launcher gave.",                                  \
     NULL}
/* clang-format on */

/* All zero: what recordings know. */
struct cli_rank_source {
    enum { CLI_RANK_KNOWN, CLI_RANK_VARIABLE, CLI_RANK_REGEX, CLI_RANK_ORDER } from;
    const char *text; /* the variable, or the expression */
    regex_t regex;
};

/* Takes the option's value. Returns CLI_OK, or CLI_USAGE after a message. */
int cli_rank_source_set(struct cli_rank_source *source, const struct cli_parser *parser);
void cli_rank_source_release(struct cli_rank_source *source);

/* The rank of the recording of input i; -1: it is not known. */
int64_t cli_input_rank(const struct cli_rank_source *source, const rf_recording *rec,
                       const char *path, size_t i);

/* Says of how many of the inputs that were read the source gives no rank. Returns CLI_OK, or
 * CLI_USAGE where it is of all. */
int cli_rank_source_check(const struct cli_rank_source *source, size_t n_known, size_t n_inputs,
                          bool is_quiet);

/* Reads the inputs of summary i of these ranks, or of all, with the ranks that the source gives
 * them: by the variables that the summary has, or by their paths; that of a summary of one input is
 * its own first. As rf_summary_read_ranks(); RF_ERR_USAGE: the source cannot give any. */
int cli_read_summary(const struct cli_rank_source *source, rf_summary *summary, const char *path,
                     size_t i, const char *ranks, struct rf_err *err);

#endif
