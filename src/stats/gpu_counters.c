/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_counters.h"

#include <stdlib.h>

#include "model/gpu/shown_metric.h"
#include "stats/values.h"

/* The time between the sample i and the one before. */
static double time_before(const struct rf_counter *counter, size_t i)
{
    return (double)counter->ns[i] - (double)counter->ns[i - 1];
}

/* How long the sample i stands for. */
static double length_of(const struct rf_counter_sums *sums, size_t i)
{
    if (i == 0)
        return sums->usual_ns;
    double ns = time_before(sums->counter, i);
    return ns < 2 * sums->usual_ns ? ns : sums->usual_ns * 2;
}

/* The median of the times between samples; 1 for a single sample. scratch: room for as many
 * numbers. */
static double usual_time(const struct rf_counter_sums *sums, double *scratch)
{
    size_t n = sums->counter->n_samples;
    for (size_t i = 1; i < n; i++)
        scratch[i - 1] = time_before(sums->counter, i);
    return n > 1 ? rf_values_rank(scratch, n - 1, (n - 1) / 2) : 1;
}

static int make_room(struct rf_counter_sums *sums, size_t n)
{
    if (n <= sums->room)
        return RF_OK;
    rf_counter_sums_release(sums);
    *sums = (struct rf_counter_sums){.room = n};
    sums->value_ns = malloc(n * sizeof(double));
    sums->time_ns = malloc(n * sizeof(double));
    if (sums->value_ns == NULL || sums->time_ns == NULL)
        sums->room = 0;
    return sums->room == n ? RF_OK : RF_ERR_NO_MEMORY;
}

static void sum_times(struct rf_counter_sums *sums)
{
    sums->usual_ns = usual_time(sums, sums->time_ns);
    sums->time_ns[0] = 0;
    for (size_t i = 0; i < sums->counter->n_samples; i++)
        sums->time_ns[i + 1] = sums->time_ns[i] + length_of(sums, i);
}

int rf_counter_sums_of(struct rf_counter_sums *sums, const rf_recording *rec,
                       const struct rf_counter *counter)
{
    const struct rf_counter *last = sums->counter;
    size_t n = counter->n_samples;
    if (make_room(sums, n + 1) != RF_OK)
        return RF_ERR_NO_MEMORY;
    sums->counter = counter;
    if (last == NULL || last->ns != counter->ns || last->n_samples != n)
        sum_times(sums); /* those that were sampled together have the same */
    sums->factor = rf_counter_shown_factor(rec, counter);
    sums->value_ns[0] = 0;
    for (size_t i = 0; i < n; i++)
        sums->value_ns[i + 1] =
            sums->value_ns[i] + length_of(sums, i) * counter->value[i] * sums->factor;
    return RF_OK;
}

void rf_counter_sums_release(struct rf_counter_sums *sums)
{
    free(sums->value_ns);
    free(sums->time_ns);
}

/* The first sample that ends at a time or later; n: there is none. */
static size_t find_sample(const struct rf_counter_sums *sums, int64_t ns)
{
    size_t low = 0, high = sums->counter->n_samples;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums->counter->ns[middle] < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Both sums from the beginning up to a time. */
static void sum_until(const struct rf_counter_sums *sums, int64_t ns, double *value_ns,
                      double *time_ns)
{
    size_t i = find_sample(sums, ns);
    *value_ns = sums->value_ns[i];
    *time_ns = sums->time_ns[i];
    if (i == sums->counter->n_samples)
        return;
    double part = length_of(sums, i) - ((double)sums->counter->ns[i] - (double)ns);
    if (part <= 0)
        return;
    *value_ns += part * sums->counter->value[i] * sums->factor;
    *time_ns += part;
}

void rf_counter_sums_add(const struct rf_counter_sums *sums, int64_t start_ns, int64_t end_ns,
                         double *value_ns, double *time_ns)
{
    double value[2], time[2];
    sum_until(sums, start_ns, &value[0], &time[0]);
    sum_until(sums, end_ns, &value[1], &time[1]);
    *value_ns += value[1] - value[0];
    *time_ns += time[1] - time[0];
}
