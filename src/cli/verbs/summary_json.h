/* SPDX-License-Identifier: Apache-2.0 */
/* A summary, as `rangefinder info --json` and `summarize --json` print it. */
#ifndef RF_CLI_VERBS_SUMMARY_JSON_H
#define RF_CLI_VERBS_SUMMARY_JSON_H

#include "rangefinder/summary.h"

/* Prints one object: the summary's path and inputs. Returns CLI_OK, or CLI_FAILED after a message.
 */
int summary_print_json(const char *path, const rf_summary *summary);

#endif
