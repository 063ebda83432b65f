/* SPDX-License-Identifier: Apache-2.0 */
/* `rangefinder info` for people. */
#ifndef RF_CLI_VERBS_INFO_TEXT_H
#define RF_CLI_VERBS_INFO_TEXT_H

#include "rangefinder/rangefinder.h"

struct rf_work_counts;

/* Prints on standard output. */
int info_print(const rf_recording *rec, const struct rf_work_counts *counts, struct rf_err *err);

#endif
