/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/durations.h"

#include <math.h>
#include <stdlib.h>

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t old = *a;
    *a = *b;
    *b = old;
}

/* The middle of three, so that sorted input is not the worst case. */
static uint64_t pivot_of(const uint64_t *values, size_t low, size_t high)
{
    uint64_t a = values[low];
    uint64_t b = values[low + (high - low) / 2];
    uint64_t c = values[high];
    if (a > b)
        swap(&a, &b);
    if (b > c)
        b = c;
    return a > b ? a : b;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Puts the value of rank k at its place, smaller ones before it and larger ones after it, in linear
 * time on average. After many bad pivots the rest is sorted, so that no input takes long. */
static void select_rank(uint64_t *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    int n_tries = 0;
    while (low < high) {
        if (++n_tries == 64) {
            qsort(values + low, high - low + 1, sizeof(*values), compare);
            return;
        }
        uint64_t pivot = pivot_of(values, low, high);
        size_t i = low, j = high;
        for (;;) { /* Hoare: equal values are spread over both sides */
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i++], &values[j--]);
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
}

uint64_t rf_durations_rank(uint64_t *values, size_t n, size_t k)
{
    select_rank(values, n, k);
    return values[k];
}

double rf_durations_median(uint64_t *values, size_t n)
{
    size_t middle = n / 2;
    select_rank(values, n, middle);
    if (n % 2 == 1)
        return (double)values[middle];
    uint64_t below = values[0];
    for (size_t i = 1; i < middle; i++)
        below = values[i] > below ? values[i] : below;
    return (double)below / 2 + (double)values[middle] / 2;
}

void rf_durations_measure(struct rf_durations *out, uint64_t *values, size_t n)
{
    double sum = 0, squares = 0;
    out->total_ns = 0;
    out->min_ns = UINT64_MAX;
    out->max_ns = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t total = out->total_ns + values[i];
        out->total_ns = total < values[i] ? UINT64_MAX : total;
        out->min_ns = values[i] < out->min_ns ? values[i] : out->min_ns;
        out->max_ns = values[i] > out->max_ns ? values[i] : out->max_ns;
        sum += (double)values[i];
    }
    out->mean_ns = (out->total_ns == UINT64_MAX ? sum : (double)out->total_ns) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double distance = (double)values[i] - out->mean_ns;
        squares += distance * distance;
    }
    out->stddev_ns = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    out->median_ns = rf_durations_median(values, n);
}

void rf_durations_of_counts(struct rf_durations *out, struct rf_value_counts *counts)
{
    const uint64_t n = counts->n_values;
    unsigned __int128 total = 0;
    double squares = 0;
    rf_value_counts_sort(counts);
    for (size_t i = 0; i < counts->n; i++)
        total += (unsigned __int128)counts->place[i].value * counts->place[i].n;
    *out = (struct rf_durations){.total_ns = total > UINT64_MAX ? UINT64_MAX : (uint64_t)total,
                                 .min_ns = counts->place[0].value,
                                 .max_ns = counts->place[counts->n - 1].value,
                                 .mean_ns = (double)total / (double)n};
    for (size_t i = 0; i < counts->n; i++) {
        const double distance = (double)counts->place[i].value - out->mean_ns;
        squares += distance * distance * (double)counts->place[i].n;
    }
    const uint64_t middle = rf_value_counts_rank(counts, n / 2);
    const uint64_t below = n % 2 == 1 ? middle : rf_value_counts_rank(counts, n / 2 - 1);
    out->median_ns = n % 2 == 1 ? (double)middle : (double)below / 2 + (double)middle / 2;
    out->stddev_ns = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* From whole numbers, so that the order in which sums were added does not matter: the squares of
 * the distances to the mean are those to its whole part, less what its fraction adds. */
double rf_stddev_of(uint64_t n, unsigned __int128 total, unsigned __int128 squares)
{
    unsigned __int128 mean = total / n, rest = total % n;
    unsigned __int128 around = squares - mean * (total + rest);
    double fraction = (double)rest / (double)n;
    double distance = (double)around - (double)rest * fraction;
    return n > 1 && distance > 0 ? sqrt(distance / (double)(n - 1)) : 0;
}

void rf_durations_of_sum(struct rf_durations *out, const struct rf_sum *sum)
{
    uint64_t middle = rf_sum_rank(sum, sum->n / 2);
    uint64_t below = sum->n % 2 == 1 ? middle : rf_sum_rank(sum, sum->n / 2 - 1);
    *out = (struct rf_durations){.total_ns = sum->total_ns > UINT64_MAX ? UINT64_MAX
                                                                        : (uint64_t)sum->total_ns,
                                 .min_ns = sum->min.duration_ns,
                                 .max_ns = sum->max.duration_ns,
                                 .mean_ns = (double)sum->total_ns / (double)sum->n,
                                 .median_ns = (double)below / 2 + (double)middle / 2,
                                 .stddev_ns = rf_stddev_of(sum->n, sum->total_ns, sum->squares)};
}
