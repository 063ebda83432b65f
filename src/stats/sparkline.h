/* SPDX-License-Identifier: Apache-2.0 */
/* A line of characters for a series of values. */
#ifndef RF_STATS_SPARKLINE_H
#define RF_STATS_SPARKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_SPARKLINE_MAX 100 /* characters */

/* Writes at most `width` characters from 0 to the largest value. Of several values that share one,
 * the largest is shown. Blocks of UTF-8, or ASCII. */
void rf_sparkline(char out[3 * RF_SPARKLINE_MAX + 1], const uint64_t *values, size_t n,
                  size_t width, bool is_ascii);

#endif
