/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tables of `rangefinder stats` go, and in which form: the lists of -f and -o. The n-th
 * report takes the n-th of each, and the last one stands for all that follow. */
#ifndef RF_CLI_VERBS_STATS_OUTPUTS_H
#define RF_CLI_VERBS_STATS_OUTPUTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"

#define STATS_MAX_OUTPUTS 64

struct stats_outputs {
    char *format[STATS_MAX_OUTPUTS]; /* owned: "csv:nohdr" */
    char *output[STATS_MAX_OUTPUTS]; /* owned */
    size_t n_formats, n_outputs;
    const char *time_unit; /* NULL: nanoseconds */
};

/* Where one table goes. */
struct stats_target {
    char format[512];
    char path[PATH_MAX + 128]; /* "-": standard output; "": the command */
    const char *command;       /* of a shell, which receives the table; or NULL */
};

/* Adds a list of formats or outputs, with commas between them; "\," is a comma. Return an exit
 * status. */
int stats_add_formats(struct stats_outputs *outputs, const struct cli_command *command,
                      const char *list);
int stats_add_outputs(struct stats_outputs *outputs, const struct cli_command *command,
                      const char *list);

/* Whether the formats are valid, with the unit of time. Returns an exit status. */
int stats_check_formats(const struct stats_outputs *outputs, const struct cli_command *command);

/* Whether n reports go to outputs of their own. Returns an exit status. */
int stats_check_outputs(const struct stats_outputs *outputs, const struct cli_command *command,
                        size_t n_reports);

/* Whether one of the outputs is named like the recording. */
bool stats_is_named_like_input(const struct stats_outputs *outputs);

/* The last output, which stands for all that follow. */
const char *stats_last_output(const struct stats_outputs *outputs);

/* Settles where report i goes. input: the recording, or NULL where there are several. */
void stats_settle(const struct stats_outputs *outputs, size_t i, const char *report,
                  const char *input, struct stats_target *target);

/* Whether an output is one file, by its ending. */
bool stats_output_is_file(const char *output);

void stats_outputs_release(struct stats_outputs *outputs);

#endif
