/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_KINETO_OPEN_H
#define RF_IMPORT_KINETO_OPEN_H

#include <stdbool.h>

#include "import/kineto_pieces.h"

#include "rangefinder/rangefinder.h"

/* Whether a file, or what gzip packed into it, begins like JSON that can be a trace. */
bool kineto_is_json(const char *path);

/* rf_open() of a trace of torch.profiler, or another one in the Trace Event Format. */
int rf_kineto_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

/* Likewise, in a way that the caller chooses. NULL: one that suits the file. */
int kineto_open_by(const char *path, unsigned flags, const struct kineto_way *way,
                   rf_recording **out, struct rf_err *err);

#endif
