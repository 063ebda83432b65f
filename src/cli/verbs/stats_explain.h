/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats --explain, --help-formats: what reports and formats are. */
#ifndef RF_CLI_VERBS_STATS_EXPLAIN_H
#define RF_CLI_VERBS_STATS_EXPLAIN_H

#include "cli/command.h"

/* Prints the columns of one report, or of "ALL". Returns an exit status. */
int stats_explain(const struct cli_command *command, const char *report);

/* Prints the formats of tables with their options. Returns an exit status. */
int stats_explain_formats(void);

/* Says that there is no such report, and which one has the nearest name. Returns CLI_USAGE. */
int stats_unknown_report(const struct cli_command *command, const char *name);

#endif
