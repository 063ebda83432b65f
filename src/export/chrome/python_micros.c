/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/python_micros.h"

#include <stdio.h>
#include <stdlib.h>

/* From 2^43 microseconds on, doubles lie further apart than a nanosecond: other decimals than the
 * exact ones may be the shortest. */
#define EXACT_BELOW_NS ((uint64_t)1000 << 43)

/* value / 10^n_decimals, without the zeros at its end. */
static void put_decimal(struct rf_sink *sink, uint64_t value, int n_decimals)
{
    static const unsigned power[] = {1, 10, 100, 1000};
    while (n_decimals > 1 && value % 10 == 0) {
        value /= 10;
        n_decimals--;
    }
    rf_sink_u64(sink, value / power[n_decimals]);
    char *out = rf_sink_reserve(sink, 4);
    unsigned rest = (unsigned)(value % power[n_decimals]);
    out[0] = '.';
    out[1] = '0';
    for (int i = n_decimals; i > 0; i--, rest /= 10)
        out[i] = (char)('0' + rest % 10);
    sink->used += (size_t)(n_decimals > 0 ? n_decimals : 1) + 1;
}

/* Python writes the fewest decimals that tell doubles apart, one at least; here three suffice. */
static void put_large(struct rf_sink *sink, uint64_t ns)
{
    char text[40];
    double value = (double)ns / 1000.0;
    int n_decimals = 0;
    do
        (void)snprintf(text, sizeof(text), "%.*f", ++n_decimals, value);
    while (n_decimals < 3 && strtod(text, NULL) != value);
    for (const char *c = text; *c != '\0'; c++) /* some locales have a decimal comma */
        rf_sink_char(sink, *c == ',' ? '.' : *c);
}

void rf_sink_python_micros(struct rf_sink *sink, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        rf_sink_char(sink, '-');
    if (size < EXACT_BELOW_NS)
        put_decimal(sink, size, 3);
    else
        put_large(sink, size);
}
