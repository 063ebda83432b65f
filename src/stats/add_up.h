/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of times that a hostile file may make too large. */
#ifndef RF_STATS_ADD_UP_H
#define RF_STATS_ADD_UP_H

#include <stdint.h>

/* Stops at the largest value that a cell shows. */
static inline uint64_t rf_add_up(uint64_t sum, uint64_t value)
{
    return sum > INT64_MAX || value > INT64_MAX - sum ? INT64_MAX : sum + value;
}

#endif
