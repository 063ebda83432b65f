/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by one element at a time. */
#ifndef RF_BASE_GROW_H
#define RF_BASE_GROW_H

#include <stddef.h>

/* See rf_grow_array(). */
int rf_grow_array_now(void *array, size_t *room, size_t size);

/* Makes room for one more element behind the n that *array holds. array: the address of a pointer
 * to memory of malloc(), or to NULL; *room: for how many elements there is room; size: of one
 * element. An array never has more elements than a uint32_t counts. Returns 0, or RF_ERR_NO_MEMORY:
 * then the array is unchanged. */
static inline int rf_grow_array(void *array, size_t n, size_t *room, size_t size)
{
    return n < *room ? 0 : rf_grow_array_now(array, room, size);
}

/* Likewise for n elements in all, of which most are about to come: growing step by step would move
 * them again and again. */
int rf_reserve_array(void *array, size_t n, size_t *room, size_t size);

#endif
