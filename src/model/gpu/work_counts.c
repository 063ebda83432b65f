/* SPDX-License-Identifier: Apache-2.0 */
/* How many calls, pieces of GPU work and rows of other kinds a recording has. */
#include "base/sized.h"
#include "model/recording.h"

static void count_kept(const rf_recording *rec, struct rf_work_counts *counts)
{
    size_t n;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            ++*(call[i].kind == RF_CALL_OS ? &counts->n_os_calls : &counts->n_cuda_calls);
    }
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        counts->n_ops[op[i].kind]++;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++)
        counts->n_extras[extra[i].kind]++;
}

int rf_work_counts_of(const rf_recording *rec, struct rf_work_counts *out)
{
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    if (rec == NULL || out == NULL)
        return RF_ERR_USAGE;
    if (rec->work_counts != NULL)
        counts = *rec->work_counts;
    count_kept(rec, &counts);
    return rf_sized_write(out, sizeof(*out), &counts) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}
