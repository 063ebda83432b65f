/* SPDX-License-Identifier: Apache-2.0 */
/* Yuen's interval of trimmed means with one spread for both sides: that of the values after the
 * trimmed ones took the place of their neighbours. Below five runs nothing is trimmed, and it is
 * Student's interval. */
#include "stats/compare/run_interval.h"

#include <math.h>
#include <stdlib.h>

#include "stats/compare/students_t.h"

/* Of a side a fifth is trimmed at either end. */
static size_t n_trimmed(size_t n)
{
    return n / 5;
}

static size_t n_kept(size_t n)
{
    return n - 2 * n_trimmed(n);
}

/* Trimming leaves few values from which to take the spread, so that the interval would hold the
 * ratio in 94.0 % of comparisons of five runs with five. This factor makes that 95 %; with more
 * runs it is a little more. tests/compare/test_intervals.c measures it. */
#define FOR_TRIMMING 1.08

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a side adds. */
struct side {
    double mean, squares; /* of the kept values; of all, with the trimmed ones moved inwards */
};

static struct side measure(double *value, size_t n)
{
    const size_t trimmed = n_trimmed(n), kept = n_kept(n);
    struct side side = {0, 0};
    double moved_mean = 0;
    qsort(value, n, sizeof(*value), compare_values);
    for (size_t i = trimmed; i < n - trimmed; i++)
        side.mean += (value[i] - value[0]) / (double)kept;
    side.mean += value[0];
    const double lowest = value[trimmed] - side.mean, highest = value[n - trimmed - 1] - side.mean;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            const double moved = i < trimmed        ? lowest
                                 : i >= n - trimmed ? highest
                                                    : value[i] - side.mean;
            if (pass == 0)
                moved_mean += moved / (double)n;
            else
                side.squares += (moved - moved_mean) * (moved - moved_mean);
        }
    return side;
}

/* The standard error with so many runs a side. */
static double error_of(double spread, size_t n_a, size_t n_b)
{
    const double kept_a = (double)n_kept(n_a), kept_b = (double)n_kept(n_b);
    const double squares = spread * (double)(n_a + n_b - 2) / (kept_a + kept_b - 2);
    const bool is_trimmed = n_trimmed(n_a) + n_trimmed(n_b) > 0;
    return (is_trimmed ? FOR_TRIMMING : 1) * sqrt(squares * (1 / kept_a + 1 / kept_b));
}

static double freedom_of(size_t n_a, size_t n_b)
{
    return (double)(n_kept(n_a) + n_kept(n_b) - 2);
}

void rf_run_interval(struct rf_run_interval *interval, double *a, size_t n_a, double *b, size_t n_b,
                     double resolution)
{
    const struct side from = measure(a, n_a), to = measure(b, n_b);
    *interval = (struct rf_run_interval){.middle = to.mean - from.mean, .resolution = resolution};
    if (n_a < 2 || n_b < 2)
        return;
    interval->spread = (from.squares + to.squares) / (double)(n_a + n_b - 2);
    interval->freedom = freedom_of(n_a, n_b);
    interval->error = hypot(error_of(interval->spread, n_a, n_b), resolution);
}

double rf_run_interval_reach(const struct rf_run_interval *interval, double probability)
{
    return interval->error > 0
               ? interval->error * rf_students_t_exceeded(probability / 2, interval->freedom)
               : 0;
}

double rf_run_interval_chance(const struct rf_run_interval *interval)
{
    if (interval->freedom <= 0 || interval->middle == 0)
        return 1;
    if (interval->error <= 0)
        return 0;
    return 2 * rf_students_t_below(-fabs(interval->middle) / interval->error, interval->freedom);
}

uint64_t rf_run_interval_needs(const struct rf_run_interval *interval, double distance,
                               double probability, uint64_t most)
{
    /* No interval is narrower than that of a known spread, so that fewer need not be tried. */
    const double least = 6 * interval->spread / (distance * distance);
    if (!(distance > 0) || !(least <= (double)most))
        return 0;
    for (size_t n = least > 2 ? (size_t)least : 2; n <= most; n++) {
        const struct rf_run_interval with = {
            .error = hypot(error_of(interval->spread, n, n), interval->resolution),
            .freedom = freedom_of(n, n),
        };
        if (rf_run_interval_reach(&with, probability) <= distance)
            return n;
    }
    return 0;
}
