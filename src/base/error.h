/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a struct rf_err: the library's functions end with `return rf_fail(err, ...)`. */
#ifndef RF_BASE_ERROR_H
#define RF_BASE_ERROR_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Stores code and the formatted text (cut to fit) and returns code. err may be NULL. */
int rf_fail(struct rf_err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a byte offset, which the text should name as well. */
int rf_fail_at(struct rf_err *err, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
