/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_REPORT_H
#define RF_IMPORT_NSYS_REPORT_H

#include "rangefinder/rangefinder.h"

/* rf_open() of a .nsys-rep: nsys, which has to be on the PATH, exports it to a temporary file. */
int rf_nsys_report_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

#endif
