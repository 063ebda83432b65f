/* SPDX-License-Identifier: Apache-2.0 */
/* Several recordings in one file, or in one file per format. */
#ifndef RF_CLI_MERGED_OUTPUT_H
#define RF_CLI_MERGED_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/input_rank.h"
#include "cli/inputs.h"
#include "rangefinder/rangefinder.h"

#define CLI_MAX_MERGED 16

struct cli_merged_output {
    const struct cli_inputs *inputs;
    const struct cli_filter *filter;
    const struct cli_rank_source *rank_source;
    const char *what; /* is done: "exporting" */
    bool is_quiet;
    const char *anchor;                               /* a range, as rf_align_add_recording() */
    unsigned open_flags;                              /* of rf_open() */
    size_t n;                                         /* files */
    struct rf_export_options options[CLI_MAX_MERGED]; /* their progress is set here */
    /* NULL, or what is done when an input is in the first file. Returns an exit status. */
    int (*added)(void *context, rf_merged_export *file, const rf_recording *rec);
    void *context;
};

/* Opens the inputs one after another and writes them; the next one is opened meanwhile. Says how
 * their times were put side by side, or what failed: then no file is left. Returns an exit status.
 */
int cli_merge(const struct cli_merged_output *merged);

#endif
