/* SPDX-License-Identifier: Apache-2.0 */
/* The summary that is printed of a file that was just packed. */
#ifndef RF_CLI_SUMMARY_H
#define RF_CLI_SUMMARY_H

#include <stdbool.h>

#include "log/pack.h"

struct cli_summary {
    struct rf_packed packed;
    bool is_estimate; /* counts of a capture's file, which holds slightly more than the capture */
};

/* Prints path, size, events and losses. */
void cli_summary_say(const struct cli_summary *summary, const char *path);

/* Prints what was lost, if anything. */
void cli_summary_say_losses(const struct cli_summary *summary);

#endif
