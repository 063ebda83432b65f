/* SPDX-License-Identifier: Apache-2.0 */
/* What rangefinder why prints. */
#ifndef RF_CLI_WHY_TEXT_H
#define RF_CLI_WHY_TEXT_H

#include <stddef.h>

#include "rangefinder/why.h"

struct why_request {
    const char *range;
    const char *filter; /* as options, for commands that are printed; "": none */
    size_t n_inputs;
    const char *next; /* the command that comes next; NULL: none */
};

/* For people, on standard output. */
int why_print(const rf_why *why, const struct rf_why_verdict *verdict,
              const struct why_request *request, struct rf_err *err);

#endif
