/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/students_t.h"

#include <math.h>

#define MAX_TERMS 500
#define PRECISION 1e-15
#define SMALLEST  1e-300 /* takes the place of a denominator that is 0 */

static double not_zero(double value)
{
    return fabs(value) < SMALLEST ? SMALLEST : value;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m <= MAX_TERMS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        fraction *= d * c;
        if (fabs(d * c - 1) < PRECISION)
            break;
    }
    return fraction;
}

/* lgamma_r(): lgamma() writes a global. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function. y: 1 - x, which is more exact than the difference. */
static double incomplete_beta(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    const double front =
        exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2)) /* where the fraction converges fast */
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

/* The probability that t exceeds a value that is not negative. */
static double above(double t, double freedom)
{
    const double square = t * t;
    if (!(square < HUGE_VAL))
        return 0;
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square),
                           square / (freedom + square)) /
           2;
}

double rf_students_t_below(double t, double freedom)
{
    return t < 0 ? above(-t, freedom) : 1 - above(t, freedom);
}

double rf_students_t_exceeded(double probability, double freedom)
{
    double low = 0, high = 1;
    while (above(high, freedom) > probability && high < 1e150)
        high *= 2;
    for (int i = 0; i < 200 && high - low > PRECISION * high; i++) {
        const double middle = low + (high - low) / 2;
        if (above(middle, freedom) > probability)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}
