/* SPDX-License-Identifier: Apache-2.0 */
/* Names that differ by numbers alone: op_17 and op_18 are op_#. */
#ifndef RF_BASE_FOLD_NUMBERS_H
#define RF_BASE_FOLD_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the text with one # for each number to `out`, which has room for size bytes and may be
 * text itself. Returns the size. */
static inline size_t rf_fold_numbers(char *out, const char *text, size_t size)
{
    bool is_in_number = false;
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit || !is_in_number)
            out[n++] = is_digit ? '#' : c;
        is_in_number = is_digit;
    }
    return n;
}

#endif
