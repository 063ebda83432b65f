/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of what files keep in 63 bits. */
#ifndef RF_BASE_ADD_COUNT_H
#define RF_BASE_ADD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Adds a number. false: the sum does not fit. */
static inline bool rf_add_count(uint64_t *sum, uint64_t n)
{
    return !__builtin_add_overflow(*sum, n, sum) && *sum <= INT64_MAX;
}

#endif
