/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/exact_sum.h"

#include <math.h>
#include <string.h>

#define DIGIT_MASK ((INT64_C(1) << RF_EXACT_BITS) - 1)
#define MANY_ADDED (1u << 28) /* each adds less than 2^33 to a digit */
#define POINT_BITS (RF_EXACT_POINT * RF_EXACT_BITS)

_Static_assert(POINT_BITS >= 1074, "the smallest double has a digit");
_Static_assert((RF_EXACT_DIGITS - RF_EXACT_POINT) * RF_EXACT_BITS > 1024 + 63 + 32,
               "2^63 of the largest double have digits");

/* ---- Numbers ---- */

struct rf_exact_number rf_exact_of_whole(__int128 whole)
{
    return (struct rf_exact_number){(double)whole, whole, true};
}

struct rf_exact_number rf_exact_of_real(double finite)
{
    return (struct rf_exact_number){finite + 0.0, 0, false}; /* -0 + 0 is 0 */
}

static int compare_mixed(__int128 whole, double real)
{
    const double limit = ldexp(1, 127);
    if (real >= limit || real < -limit)
        return real > 0 ? -1 : 1;
    const __int128 below = (__int128)real; /* towards 0, and a double again */
    if (whole != below)
        return whole < below ? -1 : 1;
    const double rest = real - (double)below;
    return rest > 0 ? -1 : rest < 0;
}

int rf_exact_compare(const struct rf_exact_number *a, const struct rf_exact_number *b)
{
    if (a->is_whole && b->is_whole)
        return a->whole < b->whole ? -1 : a->whole > b->whole;
    if (!a->is_whole && !b->is_whole)
        return a->real < b->real ? -1 : a->real > b->real;
    const int order =
        a->is_whole ? compare_mixed(a->whole, b->real) : -compare_mixed(b->whole, a->real);
    return order != 0 ? order : (a->is_whole ? -1 : 1);
}

/* ---- Adding ---- */

/* Adds magnitude * 2^exponent. */
static void add_magnitude(struct rf_exact_sum *sum, unsigned __int128 magnitude, int exponent,
                          bool is_negative)
{
    const unsigned bit = (unsigned)(exponent + POINT_BITS), shift = bit % RF_EXACT_BITS;
    for (unsigned i = bit / RF_EXACT_BITS; magnitude != 0; i++, magnitude >>= RF_EXACT_BITS) {
        const uint64_t part = (uint64_t)(magnitude & DIGIT_MASK) << shift;
        const int64_t low = (int64_t)(part & DIGIT_MASK), high = (int64_t)(part >> RF_EXACT_BITS);
        sum->digit[i] += is_negative ? -low : low;
        if (high != 0)
            sum->digit[i + 1] += is_negative ? -high : high;
    }
    if (++sum->n_added >= MANY_ADDED)
        rf_exact_settle(sum);
}

/* Takes the number apart: magnitude * 2^exponent. */
static uint64_t magnitude_of(const struct rf_exact_number *number, int *exponent, bool *is_negative)
{
    uint64_t bits;
    *exponent = 0;
    if (number->is_whole) {
        *is_negative = number->whole < 0;
        return (uint64_t)(*is_negative ? -number->whole : number->whole);
    }
    memcpy(&bits, &number->real, sizeof(bits));
    const int biased = (int)(bits >> 52 & 0x7ff);
    *is_negative = bits >> 63 != 0;
    *exponent = (biased > 0 ? biased : 1) - 1075;
    return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(biased > 0) << 52;
}

static void add_times(struct rf_exact_sum *sum, const struct rf_exact_number *number, uint64_t n,
                      bool is_taken)
{
    int exponent;
    bool is_negative;
    const uint64_t magnitude = magnitude_of(number, &exponent, &is_negative);
    if (n == 1)
        add_magnitude(sum, magnitude, exponent, is_negative != is_taken);
    else
        add_magnitude(sum, (unsigned __int128)magnitude * n, exponent, is_negative != is_taken);
}

void rf_exact_add(struct rf_exact_sum *sum, const struct rf_exact_number *number, uint64_t n)
{
    add_times(sum, number, n, false);
}

void rf_exact_subtract(struct rf_exact_sum *sum, const struct rf_exact_number *number, uint64_t n)
{
    add_times(sum, number, n, true);
}

void rf_exact_add_digit(struct rf_exact_sum *sum, unsigned i, int64_t digit)
{
    sum->digit[i] += digit;
    if (++sum->n_added >= MANY_ADDED)
        rf_exact_settle(sum);
}

/* ---- The one form of a value ---- */

/* Brings all digits but the last one to 0 to 2^32 - 1. */
static void carry(struct rf_exact_sum *sum)
{
    int64_t over = 0;
    for (unsigned i = 0; i + 1 < RF_EXACT_DIGITS; i++) {
        const int64_t value = sum->digit[i] + over;
        sum->digit[i] = value & DIGIT_MASK;
        over = (value - sum->digit[i]) / (DIGIT_MASK + 1);
    }
    sum->digit[RF_EXACT_DIGITS - 1] += over;
}

static void negate(struct rf_exact_sum *sum)
{
    for (unsigned i = 0; i < RF_EXACT_DIGITS; i++)
        sum->digit[i] = -sum->digit[i];
}

void rf_exact_settle(struct rf_exact_sum *sum)
{
    carry(sum);
    sum->n_added = 0;
    if (sum->digit[RF_EXACT_DIGITS - 1] >= 0)
        return;
    negate(sum);
    carry(sum);
    negate(sum);
}

/* ---- Results ---- */

/* The highest digit that is not 0; -1: all are. */
static int highest(const struct rf_exact_sum *sum)
{
    int i = RF_EXACT_DIGITS - 1;
    while (i >= 0 && sum->digit[i] == 0)
        i--;
    return i;
}

int rf_exact_sign(const struct rf_exact_sum *sum)
{
    const int i = highest(sum);
    return i < 0 ? 0 : sum->digit[i] < 0 ? -1 : 1;
}

static uint64_t size_of(int64_t digit)
{
    return (uint64_t)(digit < 0 ? -digit : digit);
}

/* The four highest digits have at least 97 bits; of the others it matters for rounding only whether
 * they are 0. */
double rf_exact_weighed_mean(const struct rf_exact_sum *sum, double weight)
{
    const int top = highest(sum), last = top > 3 ? top - 3 : 0;
    unsigned __int128 bits = 0;
    if (top < 0)
        return 0;
    for (int i = top; i >= last; i--)
        bits = bits << RF_EXACT_BITS | size_of(sum->digit[i]);
    for (int i = 0; i < last; i++)
        bits |= sum->digit[i] != 0;
    const double mean = ldexp((double)bits / weight, (last - RF_EXACT_POINT) * RF_EXACT_BITS);
    return sum->digit[top] < 0 ? -mean : mean;
}

double rf_exact_mean(const struct rf_exact_sum *sum, uint64_t n)
{
    return rf_exact_weighed_mean(sum, (double)n);
}

bool rf_exact_whole(const struct rf_exact_sum *sum, __int128 *whole)
{
    unsigned __int128 size = 0;
    for (int i = 0; i < RF_EXACT_DIGITS; i++)
        if (sum->digit[i] != 0 && (i < RF_EXACT_POINT || i >= RF_EXACT_POINT + 4))
            return false;
    for (int i = RF_EXACT_POINT + 3; i >= RF_EXACT_POINT; i--)
        size = size << RF_EXACT_BITS | size_of(sum->digit[i]);
    if (size >> 127 != 0)
        return false;
    *whole = rf_exact_sign(sum) < 0 ? -(__int128)size : (__int128)size;
    return true;
}
