/* SPDX-License-Identifier: Apache-2.0 */
/* Text on standard output, through a sink. */
#ifndef RF_CLI_TEXT_OUT_H
#define RF_CLI_TEXT_OUT_H

#include "base/output.h"
#include "base/sink.h"

struct text_out {
    struct rf_sink sink;
    struct rf_output output;
};

/* Returns RF_OK; then text_end() has to follow, which fails if anything could not be written. The
 * struct is not to be moved. */
int text_begin(struct text_out *text, struct rf_err *err);
int text_end(struct text_out *text, struct rf_err *err);

#endif
