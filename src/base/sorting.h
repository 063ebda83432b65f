/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of much that is often in order already, or that numbers order. */
#ifndef RF_BASE_SORTING_H
#define RF_BASE_SORTING_H

#include <stddef.h>
#include <stdint.h>

/* qsort(), which leaves alone what is in order. array may be NULL where n is 0. */
void rf_sort_unordered(void *array, size_t n, size_t size,
                       int (*compare)(const void *, const void *));

struct rf_numbered {
    uint64_t number;
    size_t item;
};

/* Sorts by number; those of one number stay in their order. spare: room for n. Returns which of
 * both arrays has the result. */
struct rf_numbered *rf_sort_numbered(struct rf_numbered *array, struct rf_numbered *spare,
                                     size_t n);

#endif
