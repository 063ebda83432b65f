/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_OPEN_SELECTED_H
#define RF_MODEL_LOAD_OPEN_SELECTED_H

#include "rangefinder/rangefinder.h"

/* See rf_open_selected(). The threads and ranges that the options name are looked for first, by
 * reading it once more. */
int rf_recording_open_selected(const char *path, unsigned flags, double drift,
                               const struct rf_filter_options *options, rf_recording **out,
                               struct rf_err *err);

#endif
