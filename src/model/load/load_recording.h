/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_LOAD_RECORDING_H
#define RF_MODEL_LOAD_LOAD_RECORDING_H

#include "rangefinder/rangefinder.h"

/* rf_open() of a .rf file or session directory. drift: see rf_open_aligned(); 0: none. */
int rf_recording_open(const char *path, unsigned flags, double drift, rf_recording **out,
                      struct rf_err *err);

#endif
