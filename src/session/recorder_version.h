/* SPDX-License-Identifier: Apache-2.0 */
/* Of which version a recorder is, without loading it. */
#ifndef RF_SESSION_RECORDER_VERSION_H
#define RF_SESSION_RECORDER_VERSION_H

#include <stddef.h>

#include "base/error.h"

/* Writes the version of the recorder in the file path; "" for a file that does not say it. */
int rf_recorder_version(const char *path, char *version, size_t room, struct rf_err *err);

#endif
