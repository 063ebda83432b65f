/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line says to people: lines on standard error that begin with "rangefinder: ".
 * Nothing below src/cli prints. */
#ifndef RF_CLI_SAY_H
#define RF_CLI_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* One line: what failed, on what, what to do. Written with one system call, so that lines of the
 * threads and of the profiled program do not mix. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whoever has changed what a line must look like on the terminal writes the lines of cli_say() from
 * now on; NULL: cli_say() does again. When this returns, the former writer is not being called. */
void cli_say_through(void (*write_line)(void *context, const char *line, size_t size),
                     void *context);

/* The columns of the terminal that standard output is; 0: it is none. */
unsigned cli_output_width(void);

/* A bar on a terminal for work that takes longer than a second. */
struct cli_progress {
    const char *what; /* "exporting" */
    int64_t begin_ns;
    int64_t shown_ns; /* when it was drawn last; 0: not yet */
    bool is_terminal;
};

void cli_progress_begin(struct cli_progress *progress, const char *what);

/* done: 0 to 1. The signature of rf_export_options.progress; never stops the work. */
int cli_progress_update(void *progress, double done);

/* Wipes the bar. */
void cli_progress_end(struct cli_progress *progress);

#endif
