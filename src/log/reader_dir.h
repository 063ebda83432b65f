/* SPDX-License-Identifier: Apache-2.0 */
/* Session directories. */
#ifndef RF_LOG_READER_DIR_H
#define RF_LOG_READER_DIR_H

#include "log/log_builder.h"

/* Adds a session directory. flags: enum rf_open_flags. */
int rf_log_add_directory(struct rf_log_builder *b, int directory, const char *path, unsigned flags,
                         struct rf_err *err);

#endif
