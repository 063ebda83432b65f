/* SPDX-License-Identifier: Apache-2.0 */
/* Text on standard output or in a file, through a sink. */
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

/* The same in a file, which appears at text_end(). path "-" is standard output. */
int text_begin_file(struct text_out *text, const char *path, bool can_overwrite,
                    struct rf_err *err);

/* Instead of text_end(): no file is left. */
void text_abandon(struct text_out *text);

#endif
