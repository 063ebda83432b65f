/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples of counters add up to: of NVTX's counters, and of GPU metrics. */
#include "summary/collect.h"

/* Describes a counter; false: it is none that is summed up. */
static bool describe(struct rf_collecting *c, const struct rf_counter *counter,
                     struct rf_summary_counter *out)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    const struct rf_process *process = rf_process_at(c->rec, counter->process);
    *out = (struct rf_summary_counter){.kind = RF_SUMMARY_GPU_METRIC,
                                       .domain = RF_NO_STRING,
                                       .name = rf_collect_string(c, counter->name),
                                       .unit = RF_NO_STRING,
                                       .factor = 1,
                                       .pid = process != NULL ? (int64_t)process->pid : -1,
                                       .tid = -1,
                                       .device = -1};
    if (counter->device != RF_NO_INDEX)
        out->device = counter->device;
    if (nvtx == NULL)
        return out->device >= 0 && !counter->is_derived;
    const struct rf_thread *thread = rf_thread_at(c->rec, nvtx->thread);
    out->kind = RF_SUMMARY_NVTX_COUNTER;
    out->domain = rf_collect_domain(c, nvtx->domain);
    out->unit = rf_collect_string(c, nvtx->unit);
    out->number = nvtx->number;
    out->value_type = nvtx->value_type;
    out->factor = nvtx->factor;
    out->tid = thread != NULL ? (int64_t)thread->tid : -1;
    return true;
}

static void add_counter(struct rf_collecting *c, uint32_t i, struct rf_summary_counter *counter)
{
    struct rf_sample_sum sum;
    rf_sample_sum_of(c->rec, i, &sum);
    counter->figures = sum.figures;
    counter->figures.last_ns = sum.figures.n > 0 ? rf_collect_utc(c, sum.figures.last_ns) : 0;
    (void)rf_collect_fail(c, rf_summary_counter_add(c->summary, counter, &sum.total));
}

void rf_collect_counters(struct rf_collecting *c)
{
    struct rf_searched *searched = rf_searched_at(&c->summary->counters.searched, 0);
    bool is_known = rf_get_info(c->rec)->n_samples == 0; /* there is none then */
    uint64_t n_counters = 0;
    if (searched == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    for (uint32_t i = 0; i < rf_n_counters(c->rec) && c->status == RF_OK; i++) {
        struct rf_summary_counter counter;
        if (!rf_has_sample_sum(c->rec, i))
            continue;
        is_known = true;
        if (describe(c, rf_counter_at(c->rec, i), &counter) &&
            n_counters++ < c->options.max_counters && c->status == RF_OK)
            add_counter(c, i, &counter);
    }
    if (c->status != RF_OK)
        return;
    searched->n_searched = is_known;
    if (n_counters > c->options.max_counters)
        searched->n_left_out = n_counters - c->options.max_counters;
    (void)rf_collect_fail(c, rf_summary_counters_join(c->summary));
}
