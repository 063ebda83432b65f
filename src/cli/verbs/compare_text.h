/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison, for people. */
#ifndef RF_CLI_VERBS_COMPARE_TEXT_H
#define RF_CLI_VERBS_COMPARE_TEXT_H

#include "cli/verbs/compare_request.h"

/* Prints what came out, and tables of times and counts, to standard output. */
int compare_print(const rf_compare *compare, const struct rf_compare_result *result,
                  const struct compare_request *request, struct rf_err *err);

#endif
