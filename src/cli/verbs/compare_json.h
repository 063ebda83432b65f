/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as one JSON object. */
#ifndef RF_CLI_VERBS_COMPARE_JSON_H
#define RF_CLI_VERBS_COMPARE_JSON_H

#include "cli/verbs/compare_request.h"

/* Prints it to standard output. */
int compare_print_json(const rf_compare *compare, const struct rf_compare_result *result,
                       const struct compare_request *request, struct rf_err *err);

#endif
