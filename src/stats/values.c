/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/values.h"

#include <stdlib.h>

#define MAX_TRIES 64 /* pivots; then the rest is sorted */

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The middle of three, so that sorted values are not the worst case. */
static double pivot_of(const double *values, size_t low, size_t high)
{
    double a = values[low], b = values[low + (high - low) / 2], c = values[high];
    if ((a <= b && b <= c) || (c <= b && b <= a))
        return b;
    return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

double rf_values_rank(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    for (int tries = 0; low < high; tries++) {
        double pivot = pivot_of(values, low, high);
        size_t i = low, j = high;
        if (tries == MAX_TRIES) {
            qsort(values + low, high - low + 1, sizeof(*values), compare_values);
            break;
        }
        for (;; i++, j--) { /* equal values are spread over both sides */
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            double old = values[i];
            values[i] = values[j];
            values[j] = old;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

void rf_values_measure(struct rf_values *out, double *values, size_t n)
{
    long double sum = 0; /* the sum of the largest doubles does not overflow it */
    out->min = out->max = values[0];
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        out->min = values[i] < out->min ? values[i] : out->min;
        out->max = values[i] > out->max ? values[i] : out->max;
    }
    out->mean = (double)(sum / (long double)n);
    out->median = rf_values_rank(values, n, n / 2);
    if (n % 2 == 0)
        out->median = out->median / 2 + rf_values_rank(values, n, n / 2 - 1) / 2;
    out->p95 = rf_values_rank(values, n, n - 1 - n / 20);
}
