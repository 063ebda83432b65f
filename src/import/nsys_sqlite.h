/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_SQLITE_H
#define RF_IMPORT_NSYS_SQLITE_H

#include "rangefinder/rangefinder.h"

/* rf_open() of a SQLite database. */
int rf_nsys_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

#endif
