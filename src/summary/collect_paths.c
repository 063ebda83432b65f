/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that were added up by those around them, and calls and GPU work by name: a row for each of
 * their sums. */
#include <stdlib.h>

#include "model/private_access.h"
#include "model/sums/range_sums.h"
#include "summary/collect.h"

static int compare_first(const void *left, const void *right, void *context)
{
    const struct rf_sum *sum = context;
    const struct rf_sum_first *a = &sum[*(const uint32_t *)left].first;
    const struct rf_sum_first *b = &sum[*(const uint32_t *)right].first;
    if (rf_sum_is_first(a, b) || rf_sum_is_first(b, a))
        return rf_sum_is_first(a, b) ? -1 : 1;
    return *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1; /* around the other one */
}

/* The order in which collect_ranges.c meets them: paths are kept by it where they are equal. */
uint32_t *rf_collect_order(const struct rf_sums *sums)
{
    uint32_t *order = malloc((sums->n + 1) * sizeof(*order));
    for (size_t i = 0; i < sums->n && order != NULL; i++)
        order[i] = (uint32_t)i;
    if (order != NULL)
        qsort_r(order, sums->n, sizeof(*order), compare_first, sums->sum);
    return order;
}

static struct rf_summary_place place_of(const struct rf_collecting *c,
                                        const struct rf_sum_place *place)
{
    const struct rf_process *process = rf_process_at(c->rec, place->owner.process);
    return (struct rf_summary_place){.value = place->duration_ns,
                                     .start_utc_ns = rf_collect_utc(c, place->start_ns),
                                     .rank = process != NULL ? process->rank : -1,
                                     .pid = process != NULL ? process->pid : 0,
                                     .tid = place->owner.tid};
}

static int fill_histogram(struct rf_histogram *histogram, const struct rf_sum *sum)
{
    int status = RF_OK;
    for (uint32_t octave = 0; octave < RF_SUM_OCTAVES; octave++)
        for (uint32_t i = 0; i < RF_SUM_STEPS && sum->count[octave] != NULL; i++)
            if (sum->count[octave][i] > 0 && status == RF_OK)
                status =
                    rf_histogram_add(histogram, octave * RF_SUM_STEPS + i, sum->count[octave][i]);
    return status;
}

void rf_collect_sum(struct rf_collecting *c, const struct rf_sum *sum, uint32_t path, uint32_t kind)
{
    struct rf_summary_row *row = rf_summary_row(c->summary, 0, path, kind);
    struct rf_summary_row from = {.n = sum->n,
                                  .total = (uint64_t)sum->total_ns,
                                  .squares = sum->squares,
                                  .min = place_of(c, &sum->min),
                                  .max = place_of(c, &sum->max),
                                  .self = (uint64_t)sum->self_ns};
    const bool is_too_long = sum->total_ns > INT64_MAX || sum->gpu_ns > INT64_MAX;
    int status = row == NULL   ? RF_ERR_NO_MEMORY
                 : is_too_long ? RF_ERR_UNSUPPORTED
                               : fill_histogram(&from.histogram, sum);
    if (status == RF_OK)
        status = rf_summary_row_merge(row, &from);
    if (status == RF_OK)
        status = rf_summary_row_add_gpu(row, sum->n_gpu, (uint64_t)sum->gpu_ns);
    if (status != RF_OK)
        (void)rf_collect_fail(c, status);
    rf_histogram_release(&from.histogram);
}

void rf_collect_paths(struct rf_collecting *c, const struct rf_sums *sums, uint32_t *path)
{
    uint32_t *order = rf_collect_order(sums);
    if (order == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < sums->n && c->status == RF_OK; i++) {
        const struct rf_sum *sum = &sums->sum[order[i]];
        uint32_t around = sum->key.around > 0 ? path[sum->key.around - 1] : RF_NO_INDEX;
        uint32_t domain = rf_collect_domain(c, sum->key.domain);
        uint32_t name = rf_collect_range_name(c, sum->key.name);
        path[order[i]] = rf_summary_path(c->summary, around, domain, name);
        if (path[order[i]] == RF_NO_INDEX)
            (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
        else if (c->status == RF_OK &&
                 sum->n + sum->n_gpu > 0) /* 0: it ends in a file that follows */
            rf_collect_sum(c, sum, path[order[i]],
                           sum->key.kind == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP
                                                              : RF_SUMMARY_START_END);
    }
    free(order);
}
