/* SPDX-License-Identifier: Apache-2.0 */
/* What rangefinder advise prints. */
#ifndef RF_CLI_ADVISE_OUT_H
#define RF_CLI_ADVISE_OUT_H

#include <stddef.h>

#include "rangefinder/advise.h"

struct advise_request {
    const char *filter; /* as options, for commands that are printed; "": none */
    size_t n_inputs;
};

/* For people, and as JSON, on standard output. */
int advise_print(const rf_advice *advice, const struct advise_request *request, struct rf_err *err);
int advise_print_json(const rf_advice *advice, const struct advise_request *request,
                      struct rf_err *err);

#endif
