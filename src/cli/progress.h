/* SPDX-License-Identifier: Apache-2.0 */
/* How much of some work is done, on standard error. */
#ifndef RF_CLI_PROGRESS_H
#define RF_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A bar on a terminal for work that takes longer than a second; with --progress=json lines. */
struct cli_progress {
    const char *what; /* "exporting" */
    double done;
    int64_t begin_ns;
    int64_t shown_ns; /* when it was drawn last; 0: not yet */
    bool is_terminal;
};

void cli_progress_begin(struct cli_progress *progress, const char *what);

/* done: 0 to 1. The signature of rf_export_options.progress; never stops the work. */
int cli_progress_update(void *progress, double done);

/* Wipes the bar, or prints the last line. */
void cli_progress_end(struct cli_progress *progress);

#endif
