/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_LOAD_RECORDING_H
#define RF_MODEL_LOAD_LOAD_RECORDING_H

#include "rangefinder/rangefinder.h"

struct rf_selecting;

/* rf_open() of a .rf file or session directory. drift: see rf_open_aligned(); 0: none. selecting:
 * what of it is added up, if it is summed up; NULL: all. */
int rf_recording_open(const char *path, unsigned flags, double drift,
                      struct rf_selecting *selecting, rf_recording **out, struct rf_err *err);

#endif
