/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats of several recordings: each report is one table, with the rows of each. */
#ifndef RF_CLI_VERBS_STATS_MANY_H
#define RF_CLI_VERBS_STATS_MANY_H

#include "cli/option_parser.h"
#include "cli/inputs.h"
#include "cli/verbs/stats_request.h"

/* Returns an exit status; CLI_FAILED also where an input could not be read. */
int stats_many(const struct cli_parser *parser, struct stats_request *request,
               const struct cli_inputs *inputs);

#endif
