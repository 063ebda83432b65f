/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats --help-reports, --explain, --help-formats: what reports and formats are. */
#ifndef RF_CLI_VERBS_STATS_EXPLAIN_H
#define RF_CLI_VERBS_STATS_EXPLAIN_H

#include "cli/command.h"

/* Prints the columns of one report, or of "ALL". Returns an exit status. */
int stats_explain(const struct cli_command *command, const char *report);

/* Prints the list of reports. Returns an exit status. */
int stats_list_reports(void);

/* Prints the formats of tables with their options. Returns an exit status. */
int stats_explain_formats(void);

#endif
