/* SPDX-License-Identifier: Apache-2.0 */
/* What people are told of a file that was just packed. */
#ifndef RF_CLI_SUMMARY_H
#define RF_CLI_SUMMARY_H

#include <stdbool.h>

#include "log/pack.h"

struct cli_summary {
    struct rf_packed packed;
    bool is_estimate; /* of a capture: its file holds a little more than it */
};

/* Says path, size, events and losses. */
void cli_summary_say(const struct cli_summary *summary, const char *path);

/* Says what was lost, if anything. */
void cli_summary_say_losses(const struct cli_summary *summary);

#endif
