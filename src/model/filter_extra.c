/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of struct rf_extra, and counters, of a filtered recording. The values of the rows stay the
 * source's. */
#include <stdlib.h>
#include <string.h>

#include "model/extra.h"
#include "model/filter.h"
#include "model/model.h"

/* What has no time, and what no activity names, is about the whole. */
int rf_filter_has_extra(const struct rf_filter *filter, const struct rf_extra *extra,
                        const uint32_t *process)
{
    const struct rf_extra_table *table = rf_extra_table(extra->kind);
    int64_t end_ns = extra->end_ns != RF_NO_TIME ? extra->end_ns : extra->start_ns;
    if (table == NULL || (table->activity != 0 && (filter->activities & table->activity) == 0))
        return 0;
    if (extra->process != RF_NO_INDEX && process[extra->process] == RF_NO_INDEX)
        return 0;
    if (extra->device != RF_NO_INDEX && !rf_filter_has_gpu(filter, extra->device))
        return 0;
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

static int keeps_counter(const struct rf_filter *filter, const struct rf_counter *counter,
                         const uint32_t *process)
{
    unsigned activity = counter->is_derived ? RF_ACTIVITY_MEMORY : RF_ACTIVITY_METRICS;
    return (filter->activities & activity) != 0 &&
           (counter->process == RF_NO_INDEX || process[counter->process] != RF_NO_INDEX) &&
           (counter->device == RF_NO_INDEX || rf_filter_has_gpu(filter, counter->device));
}

static void copy_samples(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                         struct rf_counter *counter)
{
    size_t first = counter->first_sample, n = counter->n_samples;
    counter->first_sample = to->n_samples;
    for (size_t i = first; i < first + n; i++)
        if (rf_filter_has_time(filter, from->sample[i].ns, from->sample[i].ns))
            to->sample[to->n_samples++] = from->sample[i];
    counter->n_samples = to->n_samples - counter->first_sample;
}

static size_t count_samples(const struct rf_filter *filter, const rf_recording *from,
                            const uint32_t *process)
{
    size_t n = 0;
    for (uint32_t i = 0; i < from->n_counters; i++) {
        const struct rf_counter *counter = &from->counter[i];
        const struct rf_counter_sample *sample = from->sample + counter->first_sample;
        for (size_t k = 0; keeps_counter(filter, counter, process) && k < counter->n_samples; k++)
            n += (size_t)rf_filter_has_time(filter, sample[k].ns, sample[k].ns);
    }
    return n;
}

int rf_filter_copy_counters(const struct rf_filter *filter, const rf_recording *from,
                            rf_recording *to, const uint32_t *process)
{
    size_t n = from->n_counters;
    to->counter = calloc(n + 1, sizeof(*to->counter));
    to->counter_origin = calloc(n + 1, sizeof(*to->counter_origin));
    to->sample = calloc(count_samples(filter, from, process) + 1, sizeof(*to->sample));
    if (to->counter == NULL || to->counter_origin == NULL || to->sample == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_counter counter = from->counter[i];
        if (!keeps_counter(filter, &counter, process))
            continue;
        copy_samples(filter, from, to, &counter);
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
