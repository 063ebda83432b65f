/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder info` prints of a summary (.rfsum). */
#ifndef RF_CLI_VERBS_INFO_SUMMARY_H
#define RF_CLI_VERBS_INFO_SUMMARY_H

#include "rangefinder/summary.h"

/* Prints the inputs of a file. */
int info_print_summary(const char *path, const rf_summary *summary, struct rf_err *err);

#endif
