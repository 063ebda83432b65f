/* SPDX-License-Identifier: Apache-2.0 */
/* Public structs whose first member is `size_t size`, the struct's size where the caller was
 * compiled: an older header has fewer members, a newer one more (docs/compatibility.md). */
#ifndef RF_BASE_SIZED_H
#define RF_BASE_SIZED_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

enum rf_sized {
    RF_SIZED_OK,
    RF_SIZED_UNSET, /* no struct has this size: the caller did not begin with the INIT macro */
    RF_SIZED_NEWER, /* a member is set that this version does not have */
};

/* Reads a struct of room bytes: members that the caller's struct does not have become 0. *to is
 * all 0 but for its size where the result is not RF_SIZED_OK, or from is NULL. */
enum rf_sized rf_sized_read(void *to, size_t room, const void *from);

/* Writes the part of a struct of room bytes that the caller's has; to->size stays. */
enum rf_sized rf_sized_write(void *to, size_t room, const void *from);

/* rf_sized_read() for functions that fail with a struct rf_err. what: "rf_export_options". */
int rf_sized_options(void *to, size_t room, const void *from, const char *what, struct rf_err *err);

#endif
