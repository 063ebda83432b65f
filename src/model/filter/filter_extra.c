/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of struct rf_extra, and counters, of a filtered recording. The values of the rows are those
 * of the source, and so are the samples of counters unless several windows cut them into pieces. */
#include "model/filter/filter_extra.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/extra.h"
#include "model/filter/activities.h"
#include "model/filter/filter_parse.h"
#include "model/filter/filter_windows.h"
#include "model/load/samples.h"

/* Rows without a time and rows of no activity are kept: they describe the whole run. */
bool rf_filter_has_extra(const struct rf_filter *filter, const struct rf_extra *extra,
                         const uint32_t *process)
{
    const struct rf_extra_table *table = rf_extra_table(extra->kind);
    int64_t end_ns = extra->end_ns != RF_NO_TIME ? extra->end_ns : extra->start_ns;
    if (table == NULL || (table->activity != 0 && (filter->activities & table->activity) == 0))
        return false;
    if (extra->process != RF_NO_INDEX && process[extra->process] == RF_NO_INDEX)
        return false;
    if (extra->device != RF_NO_INDEX && !rf_filter_has_gpu(filter, extra->device))
        return false;
    return extra->start_ns == RF_NO_TIME || rf_filter_has_time(filter, extra->start_ns, end_ns);
}

int rf_filter_copy_extras(const struct rf_filter *filter, const rf_recording *from,
                          rf_recording *to, const uint32_t *process, const uint32_t *thread)
{
    size_t n = 0;
    for (size_t i = 0; i < from->n_extras; i++)
        n += (size_t)rf_filter_has_extra(filter, &from->extra[i], process);
    to->extra = calloc(n + 1, sizeof(*to->extra));
    if (to->extra == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < from->n_extras; i++) {
        if (!rf_filter_has_extra(filter, &from->extra[i], process))
            continue;
        struct rf_extra *extra = &to->extra[to->n_extras++];
        *extra = from->extra[i];
        if (extra->process != RF_NO_INDEX)
            extra->process = process[extra->process];
        if (extra->thread != RF_NO_INDEX)
            extra->thread = thread[extra->thread];
    }
    return RF_OK;
}

/* ---- Counters ---- */

static bool keeps_counter(const struct rf_filter *filter, const struct rf_counter *counter,
                          const uint32_t *process)
{
    unsigned activity = counter->is_derived ? RF_ACTIVITY_MEMORY : RF_ACTIVITY_METRICS;
    return (filter->activities & activity) != 0 &&
           (counter->process == RF_NO_INDEX || process[counter->process] != RF_NO_INDEX) &&
           (counter->device == RF_NO_INDEX || rf_filter_has_gpu(filter, counter->device));
}

/* How many samples of a counter are before a time; with_equal: or at it. */
static size_t n_before(const struct rf_counter *counter, int64_t ns, bool with_equal)
{
    size_t low = 0, high = counter->n_samples;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (counter->ns[middle] < ns || (with_equal && counter->ns[middle] == ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copies samples to the end of columns. */
static void add_samples(struct rf_counter *counter, int64_t *ns, double *value,
                        const struct rf_counter *from)
{
    memcpy(ns + counter->n_samples, from->ns, from->n_samples * sizeof(*ns));
    memcpy(value + counter->n_samples, from->value, from->n_samples * sizeof(*value));
    counter->n_samples += from->n_samples;
}

/* A counter with only the samples in a window. */
static struct rf_counter cut_counter(const struct rf_counter *from,
                                     const struct rf_filter_window *window)
{
    struct rf_counter counter = *from;
    size_t first = n_before(from, window->begin_ns, false),
           end = n_before(from, window->end_ns, true);
    counter.n_samples = end - first;
    counter.ns = first < end ? from->ns + first : NULL;
    counter.value = first < end ? from->value + first : NULL;
    return counter;
}

static int join_pieces(const struct rf_filter *filter, rf_recording *to, struct rf_counter *counter)
{
    const struct rf_counter from = *counter;
    size_t n = 0;
    for (size_t i = 0; i < filter->n_windows; i++)
        n += cut_counter(&from, &filter->window[i]).n_samples;
    counter->n_samples = 0;
    counter->ns = NULL;
    counter->value = NULL;
    if (n == 0)
        return RF_OK;
    int64_t *ns = malloc(n * (sizeof(*ns) + sizeof(double)));
    if (ns == NULL)
        return RF_ERR_NO_MEMORY;
    double *value = (double *)(void *)(ns + n);
    for (size_t i = 0; i < filter->n_windows; i++) {
        const struct rf_counter piece = cut_counter(&from, &filter->window[i]);
        if (piece.n_samples > 0)
            add_samples(counter, ns, value, &piece);
    }
    counter->ns = ns;
    counter->value = value;
    return rf_samples_keep(to, ns);
}

static int cut_samples(const struct rf_filter *filter, rf_recording *to, struct rf_counter *counter)
{
    if (filter->has_windows && filter->n_windows == 1)
        *counter = cut_counter(counter, &filter->window[0]);
    else if (filter->has_windows)
        return join_pieces(filter, to, counter);
    return RF_OK;
}

int rf_filter_copy_counters(const struct rf_filter *filter, const rf_recording *from,
                            rf_recording *to, const uint32_t *process)
{
    size_t n = from->n_counters;
    to->counter = calloc(n + 1, sizeof(*to->counter));
    to->counter_origin = calloc(n + 1, sizeof(*to->counter_origin));
    to->info.n_samples = 0;
    if (to->counter == NULL || to->counter_origin == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_counter counter = from->counter[i];
        if (!keeps_counter(filter, &counter, process))
            continue;
        if (cut_samples(filter, to, &counter) != RF_OK)
            return RF_ERR_NO_MEMORY;
        to->info.n_samples += counter.n_samples;
        if (counter.process != RF_NO_INDEX)
            counter.process = process[counter.process];
        if (from->counter_origin != NULL)
            to->counter_origin[to->n_counters] = from->counter_origin[i];
        to->counter[to->n_counters++] = counter;
    }
    if (from->counter_origin == NULL) {
        free(to->counter_origin);
        to->counter_origin = NULL;
    }
    return RF_OK;
}
