/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder stats` was asked for. */
#ifndef RF_CLI_VERBS_STATS_REQUEST_H
#define RF_CLI_VERBS_STATS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/input_rank.h"
#include "rangefinder/rangefinder.h"

#define STATS_MAX_REPORTS 64

struct stats_request {
    const char *reports[STATS_MAX_REPORTS]; /* names that the library owns */
    size_t n_reports;
    bool is_default;    /* no report was asked for */
    const char *format; /* NULL: not said */
    const char *output;
    bool can_overwrite;
    bool is_quiet;
    bool by_process;
    const char *group_by; /* NULL: nothing */
    const char *explain;  /* a report whose columns are to be explained, or NULL */
    bool is_raw;
    struct cli_filter filter;
    struct cli_rank_source rank_source;
};

/* The name of a format that the command line spells so; NULL: there is none. */
const char *stats_format_named(const char *name);

/* Whether an output is one file, by its ending. */
bool stats_output_is_file(const char *output);

/* Settles the file of one report, in path; returns its format. */
const char *stats_name_output(const struct stats_request *request, const char *input,
                              const char *report, char *path, size_t size);

/* The parts of the recording that no report needs; none where the recording decides which reports
 * are made. */
unsigned stats_open_flags(const struct stats_request *request);

/* Says why a report was not written. */
void stats_say_not_written(const char *path, int status, const struct rf_err *err);

#endif
