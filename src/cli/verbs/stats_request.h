/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder stats` was asked for. */
#ifndef RF_CLI_VERBS_STATS_REQUEST_H
#define RF_CLI_VERBS_STATS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/input_rank.h"
#include "cli/option_parser.h"
#include "cli/verbs/stats_outputs.h"
#include "cli/verbs/stats_pipe.h"
#include "rangefinder/rangefinder.h"

#define STATS_MAX_REPORTS  64
#define STATS_MISSING_SIZE 320 /* of a line that says what is missing */

struct stats_request {
    const char *reports[STATS_MAX_REPORTS]; /* names, with their arguments */
    char words[STATS_MAX_REPORTS][96];      /* of those that have arguments */
    size_t place[STATS_MAX_REPORTS];        /* of each in the lists of formats and outputs */
    size_t n_reports;
    bool is_default; /* no report was asked for */
    struct stats_outputs outputs;
    bool can_overwrite;
    bool is_quiet;
    bool by_process;
    bool marks_cut;         /* --cut-ranges=mark */
    bool sums_inputs;       /* one table of all inputs added up */
    const char *quantiles;  /* NULL: none */
    int fold_numbers;       /* as rf_report_options has it */
    uint64_t max_rows;      /* of a table; 0: as many as a terminal is to have; UINT64_MAX: all */
    const char *step;       /* NULL: found */
    const char *collective; /* NULL: none */
    bool has_help_formats, has_help_reports;
    bool can_be_empty;   /* a report may be asked for that the recording has no data for */
    const char *explain; /* a report whose columns are to be explained, or NULL */
    bool is_raw;
    size_t n_jobs;       /* of several inputs, how many are read at a time; 0: one per processor */
    char differing[128]; /* rf_report_options.differing */
    size_t n_rows;       /* of the last report */
    int is_approximate;  /* rf_report_options.is_approximate of the last one */
    bool has_said_approximate;
    struct cli_filter filter;
    struct cli_rank_source rank_source;
};

/* --rows. Returns an exit status. */
int stats_set_rows(struct stats_request *request, const struct cli_parser *parser);

/* Adds a report, if there is room. */
bool stats_add_report(struct stats_request *request, const char *name, size_t place);

/* The report that is shown where none is asked for: `name`, the default at this place, or what
 * people see instead. input: as for stats_settle(). */
const char *stats_default_report(const struct stats_request *request, const char *name,
                                 size_t place, const char *input);

/* The parts of the recording that no report needs; none where the recording decides which reports
 * are made. */
unsigned stats_open_flags(const struct stats_request *request);

/* The options of report i, whose table goes to target. target and pipe must outlive them. */
struct rf_report_options stats_report_options(struct stats_request *request, size_t i,
                                              const struct stats_target *target,
                                              struct stats_pipe *pipe);

/* Says once that medians are approximate, where the form has no notes below its tables. */
void stats_say_approximate(struct stats_request *request, const struct stats_target *target,
                           bool is_approximate);

/* Says that a report that was asked for has no rows, where nothing else does. */
void stats_say_empty(const struct stats_request *request, const char *report, size_t n_rows);

/* Tells a person what to ask next about a recording. */
void stats_say_next(const struct stats_request *request, const char *input);

/* The same about several FILEs, the operands. n_ranks: how many of them have a rank; has_summary:
 * some are summaries. */
void stats_say_next_of(const struct stats_request *request, char *const *operands, size_t n,
                       size_t n_ranks, bool has_summary);

/* Puts what stands between two tables. */
void stats_begin_table(const struct stats_target *target, bool is_first);

/* Waits for the command that receives the table, and says that it was written, or why not. Returns
 * status, or a negative error where the command failed. */
int stats_end_table(const struct stats_request *request, const struct stats_target *target,
                    struct stats_pipe *pipe, int status, const struct rf_err *err);

#endif
