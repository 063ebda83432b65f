/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/sparkline.h"

#define N_LEVELS 8

static uint64_t largest(const uint64_t *values, size_t n)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

void rf_sparkline(char out[3 * RF_SPARKLINE_MAX + 1], const uint64_t *values, size_t n,
                  size_t width, bool is_ascii)
{
    static const char ascii[N_LEVELS + 1] = "_.:-=+*#";
    const double all = (double)largest(values, n);
    size_t used = 0, from = 0;
    width = width < RF_SPARKLINE_MAX ? width : RF_SPARKLINE_MAX;
    width = width < n ? width : n;
    for (size_t i = 0; i < width; i++) {
        const size_t to = (size_t)((unsigned __int128)n * (i + 1) / width);
        const double value = (double)largest(values + from, to - from);
        unsigned level = all > 0 ? (unsigned)(value / all * N_LEVELS) : 0;
        level = level < N_LEVELS ? level : N_LEVELS - 1;
        if (is_ascii) {
            out[used++] = ascii[level];
        } else { /* U+2581 and what follows */
            out[used++] = (char)0xe2;
            out[used++] = (char)0x96;
            out[used++] = (char)(0x81 + level);
        }
        from = to;
    }
    out[used] = '\0';
}
