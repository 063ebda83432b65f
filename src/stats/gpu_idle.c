/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_idle.h"

#include <stdlib.h>

#include "stats/gpu_pieces.h"

int rf_gpu_idle_init(struct rf_gpu_idle *idle, const rf_recording *rec)
{
    const size_t n = (size_t)rf_n_threads(rec) + 1;
    *idle = (struct rf_gpu_idle){.rec = rec};
    idle->of_thread = calloc(n, sizeof(*idle->of_thread));
    idle->is_listed = calloc(n, sizeof(*idle->is_listed));
    return idle->of_thread != NULL && idle->is_listed != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_gpu_idle_release(struct rf_gpu_idle *idle)
{
    for (uint32_t t = 0; idle->of_thread != NULL && t < rf_n_threads(idle->rec); t++)
        rf_call_waits_release(&idle->of_thread[t]);
    free(idle->of_thread);
    free(idle->is_listed);
}

static int list_waits(struct rf_gpu_idle *idle, uint32_t thread, struct rf_gpu_gap *gap)
{
    gap->waits = &idle->of_thread[thread];
    if (idle->is_listed[thread])
        return RF_OK;
    idle->is_listed[thread] = true;
    return rf_call_waits_list(&idle->of_thread[thread], idle->rec, thread);
}

bool rf_was_called_before(const struct rf_call *call, int64_t from_ns)
{
    return call == NULL || (call->start_ns < from_ns && call->end_ns <= from_ns);
}

int rf_gpu_idle_find(struct rf_gpu_idle *idle, int64_t from_ns, const struct rf_gpu_op *op,
                     struct rf_gpu_gap *gap)
{
    const struct rf_call *call = rf_call_of_work(idle->rec, op);
    *gap = (struct rf_gpu_gap){from_ns, op->start_ns, op->start_ns, true, NULL};
    if (rf_was_called_before(call, from_ns))
        return RF_OK;
    gap->is_other = false;
    if (call->start_ns < op->start_ns)
        gap->asked_ns = call->start_ns > from_ns ? call->start_ns : from_ns;
    return list_waits(idle, op->thread, gap);
}
