/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sorting.h"

#include <stdlib.h>
#include <string.h>

void rf_sort_unordered(void *array, size_t n, size_t size,
                       int (*compare)(const void *, const void *))
{
    const char *item = array;
    size_t i = 1;
    while (i < n && compare(item + (i - 1) * size, item + i * size) <= 0)
        i++;
    if (i < n)
        qsort(array, n, size, compare);
}

/* ---- By digits ---- */

#define DIGIT_BITS 11
#define N_DIGITS   (1u << DIGIT_BITS)

static size_t digit_of(uint64_t number, unsigned shift)
{
    return number >> shift & (N_DIGITS - 1);
}

/* Moves what is in from[] to to[], by one digit. */
static void move_by_digit(const struct rf_numbered *from, struct rf_numbered *to, size_t n,
                          unsigned shift)
{
    size_t place[N_DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        place[digit_of(from[i].number, shift) + 1]++;
    for (size_t i = 0; i < N_DIGITS; i++)
        place[i + 1] += place[i];
    for (size_t i = 0; i < n; i++)
        to[place[digit_of(from[i].number, shift)]++] = from[i];
}

struct rf_numbered *rf_sort_numbered(struct rf_numbered *array, struct rf_numbered *spare, size_t n)
{
    uint64_t differ = 0; /* the bits that are not the same in all */
    for (size_t i = 1; i < n; i++)
        differ |= array[i].number ^ array[0].number;
    for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += DIGIT_BITS) {
        if (digit_of(differ, shift) == 0)
            continue;
        move_by_digit(array, spare, n, shift);
        struct rf_numbered *swap = array;
        array = spare;
        spare = swap;
    }
    return array;
}
