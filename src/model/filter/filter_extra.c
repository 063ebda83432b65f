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
    if (extra->thread != RF_NO_INDEX && !rf_filter_has_thread(filter, extra->thread))
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

bool rf_filter_has_counter(const struct rf_filter *filter, const struct rf_counter *counter,
                           const uint32_t *process)
{
    unsigned activity = counter->nvtx != NULL ? RF_ACTIVITY_NVTX
                        : counter->is_derived ? RF_ACTIVITY_MEMORY
                                              : RF_ACTIVITY_METRICS;
    uint32_t thread = counter->nvtx != NULL ? counter->nvtx->thread : RF_NO_INDEX;
    return (filter->activities & activity) != 0 &&
           (thread == RF_NO_INDEX || rf_filter_has_thread(filter, thread)) &&
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

/* Columns of samples that are being put together. */
struct columns {
    int64_t *ns, *integer;
    double *value;
    uint8_t *flags;
};

/* Copies samples to the end of columns; first: of those that counters of NVTX have besides. */
static void add_samples(struct rf_counter *counter, const struct columns *to,
                        const struct rf_counter *from, size_t first)
{
    const size_t at = counter->n_samples, n = from->n_samples;
    const struct rf_nvtx_counter *nvtx = from->nvtx;
    memcpy(to->ns + at, from->ns, n * sizeof(*to->ns));
    memcpy(to->value + at, from->value, n * sizeof(*to->value));
    if (nvtx != NULL && nvtx->integer != NULL)
        memcpy(to->integer + at, nvtx->integer + first, n * sizeof(*to->integer));
    if (nvtx != NULL && nvtx->flags != NULL)
        memcpy(to->flags + at, nvtx->flags + first, n);
    counter->n_samples += n;
}

/* A counter with only the samples in a window; *first: of them. */
static struct rf_counter cut_counter(const struct rf_counter *from,
                                     const struct rf_filter_window *window, size_t *start)
{
    struct rf_counter counter = *from;
    size_t first = n_before(from, window->begin_ns, false),
           end = n_before(from, window->end_ns, true);
    *start = first;
    counter.n_samples = end - first;
    counter.ns = first < end ? from->ns + first : NULL;
    counter.value = first < end ? from->value + first : NULL;
    return counter;
}

/* What a counter of NVTX has besides, as one of its own: its columns begin at a sample. */
static int own_nvtx(rf_recording *to, struct rf_counter *counter, size_t first)
{
    struct rf_nvtx_counter *nvtx = malloc(sizeof(*nvtx));
    if (nvtx == NULL)
        return RF_ERR_NO_MEMORY;
    *nvtx = *counter->nvtx;
    if (nvtx->integer != NULL)
        nvtx->integer += first;
    if (nvtx->flags != NULL)
        nvtx->flags += first;
    counter->nvtx = nvtx;
    return rf_samples_keep(to, nvtx);
}

/* Room for n samples, and for what a counter of NVTX has besides. */
static int make_columns(rf_recording *to, struct rf_counter *counter, size_t n,
                        struct columns *columns)
{
    const size_t size = sizeof(struct rf_nvtx_counter) + n * (3 * sizeof(int64_t) + 1);
    struct rf_nvtx_counter *nvtx = malloc(size);
    if (nvtx == NULL)
        return RF_ERR_NO_MEMORY;
    columns->ns = (int64_t *)(void *)(nvtx + 1);
    columns->integer = columns->ns + n;
    columns->value = (double *)(void *)(columns->integer + n);
    columns->flags = (uint8_t *)(columns->value + n);
    counter->ns = columns->ns;
    counter->value = columns->value;
    if (counter->nvtx != NULL) {
        *nvtx = *counter->nvtx;
        nvtx->integer = nvtx->integer != NULL ? columns->integer : NULL;
        nvtx->flags = nvtx->flags != NULL ? columns->flags : NULL;
        counter->nvtx = nvtx;
    }
    return rf_samples_keep(to, nvtx);
}

static int join_pieces(const struct rf_filter *filter, rf_recording *to, struct rf_counter *counter)
{
    const struct rf_counter from = *counter;
    struct columns columns;
    size_t n = 0, first;
    for (size_t i = 0; i < filter->n_windows; i++)
        n += cut_counter(&from, &filter->window[i], &first).n_samples;
    counter->n_samples = 0;
    counter->ns = NULL;
    counter->value = NULL;
    if (n == 0)
        return RF_OK;
    int status = make_columns(to, counter, n, &columns);
    for (size_t i = 0; i < filter->n_windows && status == RF_OK; i++) {
        const struct rf_counter piece = cut_counter(&from, &filter->window[i], &first);
        if (piece.n_samples > 0)
            add_samples(counter, &columns, &piece, first);
    }
    return status;
}

static int cut_samples(const struct rf_filter *filter, rf_recording *to, struct rf_counter *counter)
{
    size_t first = 0;
    if (filter->has_windows && filter->n_windows != 1)
        return join_pieces(filter, to, counter);
    if (filter->has_windows)
        *counter = cut_counter(counter, &filter->window[0], &first);
    return counter->nvtx != NULL && first > 0 ? own_nvtx(to, counter, first) : RF_OK;
}

/* Processes, threads and domains have other places. */
static int move_places(rf_recording *to, struct rf_counter *counter,
                       const struct rf_filter_places *places)
{
    if (counter->process != RF_NO_INDEX)
        counter->process = places->process[counter->process];
    if (counter->nvtx == NULL)
        return RF_OK;
    struct rf_nvtx_counter *nvtx = malloc(sizeof(*nvtx));
    if (nvtx == NULL)
        return RF_ERR_NO_MEMORY;
    *nvtx = *counter->nvtx;
    nvtx->domain = places->domain[nvtx->domain];
    if (nvtx->thread != RF_NO_INDEX)
        nvtx->thread = places->thread[nvtx->thread];
    counter->nvtx = nvtx;
    return rf_samples_keep(to, nvtx);
}

int rf_filter_copy_counters(const struct rf_filter *filter, const rf_recording *from,
                            rf_recording *to, const struct rf_filter_places *places)
{
    size_t n = from->n_counters;
    to->counter = calloc(n + 1, sizeof(*to->counter));
    to->counter_origin = calloc(n + 1, sizeof(*to->counter_origin));
    to->info.n_samples = 0;
    if (to->counter == NULL || to->counter_origin == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_counter counter = from->counter[i];
        if (!rf_filter_has_counter(filter, &counter, places->process))
            continue;
        if (cut_samples(filter, to, &counter) != RF_OK ||
            move_places(to, &counter, places) != RF_OK)
            return RF_ERR_NO_MEMORY;
        to->info.n_samples += counter.n_samples;
        if (from->counter_origin != NULL)
            to->counter_origin[to->n_counters] = from->counter_origin[i];
        if (filter->has_windows)
            to->counter_origin[to->n_counters].sum = NULL; /* it is of all samples */
        to->counter[to->n_counters++] = counter;
    }
    if (from->counter_origin == NULL) {
        free(to->counter_origin);
        to->counter_origin = NULL;
    }
    return RF_OK;
}
