/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats --explain: what the columns of reports mean. */
#ifndef RF_CLI_VERBS_STATS_EXPLAIN_H
#define RF_CLI_VERBS_STATS_EXPLAIN_H

#include "cli/command.h"

/* Prints the columns of one report, or of "ALL". Returns an exit status. */
int stats_explain(const struct cli_command *command, const char *report);

/* Says that there is no such report, and which one has the nearest name. Returns CLI_USAGE. */
int stats_unknown_report(const struct cli_command *command, const char *name);

#endif
