/* SPDX-License-Identifier: Apache-2.0 */
/* Times as a Python program prints them that divides nanoseconds by 1000. */
#ifndef RF_EXPORT_CHROME_PYTHON_MICROS_H
#define RF_EXPORT_CHROME_PYTHON_MICROS_H

#include "base/sink.h"

/* repr(ns / 1000) of Python: the shortest decimal number that reads back as the same double, with a
 * digit behind the point at least. */
void rf_sink_python_micros(struct rf_sink *sink, int64_t ns);

#endif
