/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as text, one fact per line: for comparing and for golden files. */
#ifndef TESTS_SUPPORT_RF_DUMP_H
#define TESTS_SUPPORT_RF_DUMP_H

#include "rangefinder/rangefinder.h"
#include "rf_writer.h"

/* Everything that a recording hands out, but its path and size. The caller frees it. */
char *rf_dump(const rf_recording *rec);

/* Saves what was written (as a packed file, or as a session directory), opens it and removes the
 * files. Prints the error and aborts where it cannot be opened. */
rf_recording *rfw_reopen(const struct rfw *w, int as_directory, unsigned flags);

#endif
