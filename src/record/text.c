/* SPDX-License-Identifier: Apache-2.0 */
#include "record/text.h"

size_t rf_put_text(char *buffer, size_t size, size_t at, const char *text)
{
    while (*text != '\0' && at + 1 < size)
        buffer[at++] = *text++;
    buffer[at] = '\0';
    return at;
}

size_t rf_put_number(char *buffer, size_t size, size_t at, uint64_t number, int min_digits)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0 || n < min_digits);
    while (n > 0 && at + 1 < size)
        buffer[at++] = digits[--n];
    buffer[at] = '\0';
    return at;
}
