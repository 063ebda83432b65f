/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_count.h"

#include <string.h>

void info_count(const rf_recording *rec, struct info_counts *counts)
{
    memset(counts, 0, sizeof(*counts));
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
