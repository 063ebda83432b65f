/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void count_work(const rf_recording *rec, struct info_counts *counts)
{
    size_t n;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        const struct rf_call *calls = rf_thread_calls(rec, i, &n);
        for (size_t k = 0; k < n; k++)
            ++*(calls[k].kind == RF_CALL_OS ? &counts->n_os_calls : &counts->n_cuda_calls);
    }
    const struct rf_gpu_op *ops = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        counts->n_ops[ops[i].kind]++;
}

int info_count(const rf_recording *rec, struct info_counts *counts, struct rf_err *err)
{
    memset(counts, 0, sizeof(*counts));
    counts->domain_events = calloc((size_t)rf_n_domains(rec) + 1, sizeof(uint64_t));
    counts->process_events = calloc((size_t)rf_n_processes(rec) + 1, sizeof(uint64_t));
    if (counts->domain_events == NULL || counts->process_events == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    count_work(rec, counts);
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        uint64_t *of_process = &counts->process_events[rf_thread_at(rec, t)->process];
        for (size_t i = 0; i < n; i++) {
            const struct rf_event *event = &events[i];
            if (event->start_ns > counts->last_ns)
                counts->last_ns = event->start_ns;
            if (event->kind > RF_EVENT_MARK)
                continue;
            counts->domain_events[event->domain]++;
            ++*of_process;
            if (event->kind != RF_EVENT_MARK && event->end_ns > counts->last_ns)
                counts->last_ns = event->end_ns;
            if (event->cut < INFO_N_CUTS)
                counts->cuts[event->cut]++;
        }
    }
    return RF_OK;
}

void info_counts_release(struct info_counts *counts)
{
    free(counts->domain_events);
    free(counts->process_events);
}
