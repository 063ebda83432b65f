/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_LOG_SCRUB_H
#define RF_LOG_SCRUB_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* Copies a recording without command lines, environment, paths, and the host's name. */
int rf_scrub(const char *input, const char *output, bool can_overwrite, struct rf_err *err);

#endif
