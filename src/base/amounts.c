/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"

#include <stdio.h>

const char *rf_format_size(char *buffer, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(buffer, size, unit > 0 && value < 9.95 ? "%.1f %s" : "%.0f %s", value,
                   units[unit]);
    return buffer;
}

const char *rf_format_count(char *buffer, size_t size, uint64_t count)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < n && at + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    if (size > 0)
        buffer[at] = '\0';
    return buffer;
}

const char *rf_format_duration(char *buffer, size_t size, int64_t ns)
{
    if (ns >= 1000000000 || ns <= -1000000000)
        (void)snprintf(buffer, size, "%.3f s", (double)ns / 1e9);
    else if (ns >= 1000000 || ns <= -1000000)
        (void)snprintf(buffer, size, "%.3f ms", (double)ns / 1e6);
    else if (ns >= 1000 || ns <= -1000)
        (void)snprintf(buffer, size, "%.3f us", (double)ns / 1e3);
    else
        (void)snprintf(buffer, size, "%lld ns", (long long)ns);
    return buffer;
}
