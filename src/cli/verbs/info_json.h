/* SPDX-License-Identifier: Apache-2.0 */
/* `rangefinder info --json`. */
#ifndef RF_CLI_VERBS_INFO_JSON_H
#define RF_CLI_VERBS_INFO_JSON_H

#include "rangefinder/rangefinder.h"

struct rf_work_counts;

/* Prints on standard output. */
int info_print_json(const rf_recording *rec, const struct rf_work_counts *counts,
                    struct rf_err *err);

#endif
