/* SPDX-License-Identifier: Apache-2.0 */
/* A session whose recording is written to files one after another (docs/format.md, section 7.4):
 * what the complete ones have taken of its streams, and what is left. */
#ifndef RF_LOG_TAKEN_H
#define RF_LOG_TAKEN_H

#include "log/log_builder.h"

/* Reads what the complete pieces have taken; the control page is there. */
int rf_taken_read(struct rf_log_builder *b, int directory, const char *path, struct rf_err *err);

/* Leaves out what was taken, and puts what is open in its place. Parts are in order; those that
 * follow each other in a stream may have one number. */
int rf_taken_leave_out(struct rf_log_builder *b);

/* Numbers the parts of such streams anew, each once. */
void rf_taken_number(struct rf_log_builder *b);

#endif
