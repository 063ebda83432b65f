/* SPDX-License-Identifier: Apache-2.0 */
/* What rangefinder why --json prints. */
#ifndef RF_CLI_WHY_JSON_H
#define RF_CLI_WHY_JSON_H

#include "cli/verbs/why_text.h"

/* One object, on standard output. */
int why_print_json(const rf_why *why, const struct rf_why_verdict *verdict,
                   const struct why_request *request, struct rf_err *err);

#endif
