/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/counter_means.h"

#include <math.h>
#include <stdlib.h>

bool rf_counter_is_weighed_by_time(const struct rf_counter *counter)
{
    return counter->nvtx->value_type != RF_COUNTER_DELTA &&
           counter->nvtx->interpolation != RF_COUNTER_POINT;
}

double rf_counter_value(const struct rf_counter *counter, size_t i)
{
    return counter->value[i] * counter->nvtx->factor;
}

static bool is_before(const struct rf_counter *counter, size_t i, int64_t ns, bool behind)
{
    return counter->ns[i] < ns || (behind && counter->ns[i] == ns);
}

/* The first sample at a time or later; behind: later than it. It is looked for from a place on, in
 * steps that grow: times that come in order are near each other. */
static size_t find_from(const struct rf_counter *counter, size_t place, int64_t ns, bool behind)
{
    const size_t n = counter->n_samples;
    size_t low = 0, high = place, step = 1;
    if (place < n && is_before(counter, place, ns, behind)) {
        for (low = place + 1; step <= n - low && is_before(counter, low + step - 1, ns, behind);
             step *= 2)
            low += step;
        high = step <= n - low ? low + step - 1 : n;
    } else {
        for (; step <= high && !is_before(counter, high - step, ns, behind); step *= 2)
            high -= step;
        low = step <= high ? high - step + 1 : 0;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(counter, middle, ns, behind))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the time ends that follows sample i. */
static int64_t end_of(const struct rf_counter_integral *in, size_t i)
{
    const struct rf_counter *counter = in->counter;
    if (i + 1 < counter->n_samples)
        return counter->ns[i + 1];
    return in->end_ns > counter->ns[i] ? in->end_ns : counter->ns[i];
}

/* The values at the beginning and the end of the time that follows sample i; NAN: there is none. */
static void values_of(const struct rf_counter_integral *in, size_t i, double value[2])
{
    const struct rf_counter *counter = in->counter;
    const bool is_last = i + 1 == counter->n_samples;
    const double before = rf_counter_value(counter, i);
    const double after = is_last ? (double)NAN : rf_counter_value(counter, i + 1);
    switch (counter->nvtx->interpolation) {
    case RF_COUNTER_SINCE_LAST:
        value[0] = value[1] = after;
        break;
    case RF_COUNTER_LINEAR:
        value[0] = before;
        value[1] = after;
        break;
    default:
        value[0] = value[1] = before;
    }
}

/* The first part_ns of the time that follows sample i. */
static struct rf_weighed weigh(const struct rf_counter_integral *in, size_t i, double part_ns)
{
    double value[2];
    const double all_ns = (double)end_of(in, i) - (double)in->counter->ns[i];
    values_of(in, i, value);
    const double until = value[0] + (value[1] - value[0]) * (all_ns > 0 ? part_ns / all_ns : 0);
    const double sum = (value[0] + until) / 2 * part_ns;
    return isfinite(sum) ? (struct rf_weighed){sum, part_ns} : (struct rf_weighed){0, 0};
}

/* What sample i adds: its value, or the time up to the next one. */
static struct rf_weighed step_of(const struct rf_counter_integral *in, size_t i)
{
    if (rf_counter_is_weighed_by_time(in->counter))
        return weigh(in, i, (double)end_of(in, i) - (double)in->counter->ns[i]);
    const double value = rf_counter_value(in->counter, i);
    return isfinite(value) ? (struct rf_weighed){value, 1} : (struct rf_weighed){0, 0};
}

int rf_counter_integrate(struct rf_counter_integral *out, const rf_recording *rec,
                         const struct rf_counter *counter)
{
    const struct rf_process *process = rf_process_at(rec, counter->process);
    const int64_t exit_ns = process != NULL ? process->exit_ns : RF_NO_TIME;
    const size_t n = counter->n_samples;
    *out = (struct rf_counter_integral){.counter = counter,
                                        .end_ns = exit_ns != RF_NO_TIME ? exit_ns
                                                                        : rf_get_info(rec)->end_ns,
                                        .until = malloc((n + 1) * sizeof(*out->until))};
    if (out->until == NULL)
        return RF_ERR_NO_MEMORY;
    out->until[0] = (struct rf_weighed){0, 0};
    for (size_t i = 0; i < n; i++) {
        const struct rf_weighed step = step_of(out, i);
        out->until[i + 1] =
            (struct rf_weighed){out->until[i].sum + step.sum, out->until[i].weight + step.weight};
    }
    return RF_OK;
}

void rf_counter_integral_release(struct rf_counter_integral *in)
{
    free(in->until);
    in->until = NULL;
}

/* From the beginning up to a time, behind which sample i is the first one. */
static struct rf_weighed until(const struct rf_counter_integral *in, size_t i, int64_t ns)
{
    if (i == 0)
        return (struct rf_weighed){0, 0};
    const int64_t end_ns = end_of(in, i - 1);
    const struct rf_weighed part =
        weigh(in, i - 1, (double)(ns < end_ns ? ns : end_ns) - (double)in->counter->ns[i - 1]);
    return (struct rf_weighed){in->until[i - 1].sum + part.sum,
                               in->until[i - 1].weight + part.weight};
}

struct rf_weighed rf_counter_between(struct rf_counter_integral *in, int64_t start_ns,
                                     int64_t end_ns, uint64_t *n_samples)
{
    const size_t first = find_from(in->counter, in->place, start_ns, false),
                 end = find_from(in->counter, first, end_ns, true);
    struct rf_weighed from = in->until[first], to = in->until[end];
    in->place = first;
    *n_samples = end - first;
    if (rf_counter_is_weighed_by_time(in->counter)) {
        from = until(in, find_from(in->counter, first, start_ns, true), start_ns);
        to = until(in, end, end_ns);
    }
    return (struct rf_weighed){to.sum - from.sum, to.weight - from.weight};
}
