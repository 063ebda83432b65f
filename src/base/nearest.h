/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the known name that a mistyped one is closest to. */
#ifndef RF_BASE_NEAREST_H
#define RF_BASE_NEAREST_H

#include <stddef.h>

/* How many insertions, deletions, changes and swaps of neighbours turn a into b; names of 63
 * characters and more are farther apart than anything. */
unsigned rf_name_distance(const char *a, const char *b);

/* The nearest of n names, or NULL where none is near enough to be what was meant. */
const char *rf_nearest_name(const char *typed, const char *const *names, size_t n);

#endif
