/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/python_micros.h"

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

/* value = mantissa / 2^shift, 0 <= shift <= 9, mantissa < 2^53. Tries fewer decimals first: the
 * nearest number with so many is right where it lies within half the distance of two doubles. Of
 * two equally near ones it is that with an even last digit. */
static void put_shortest(struct rf_sink *sink, uint64_t mantissa, int shift)
{
    uint64_t unit = (uint64_t)1 << shift;
    uint64_t power = 1;
    for (int n_decimals = 0;; n_decimals++, power *= 10) {
        uint64_t scaled = mantissa * power; /* < 2^63 */
        uint64_t whole = scaled >> shift, rest = scaled & (unit - 1);
        int is_up = rest * 2 > unit || (rest * 2 == unit && (whole & 1) != 0);
        uint64_t error = (is_up ? unit - rest : rest) * 2;
        if (n_decimals == 3 || error < power || (error == power && (mantissa & 1) == 0)) {
            put_decimal(sink, whole + (uint64_t)is_up, n_decimals);
            return;
        }
    }
}

static void put_large(struct rf_sink *sink, uint64_t ns)
{
    double value = (double)ns / 1000.0;
    int shift = 0;
    while (value < 0x1p52) {
        value *= 2;
        shift++;
    }
    /* beyond 2^53 every double is whole, and 16 digits are needed */
    put_shortest(sink, (uint64_t)value, shift);
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
