/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_next.h"

#include <stddef.h>

#include "rangefinder/gpu_work.h"

static uint64_t sum(const uint64_t *numbers, size_t n)
{
    uint64_t of_all = 0;
    for (size_t i = 0; i < n; i++)
        of_all += numbers[i];
    return of_all;
}

const char *info_next_verb(const rf_recording *rec, const struct rf_work_counts *counts)
{
    const struct rf_info *info = rf_get_info(rec);
    const uint64_t n =
        info->n_ranges + info->n_samples + counts->n_cuda_calls + counts->n_os_calls +
        sum(counts->n_ops, sizeof(counts->n_ops) / sizeof(counts->n_ops[0])) +
        sum(counts->n_extras, sizeof(counts->n_extras) / sizeof(counts->n_extras[0]));
    return n > 0 ? "stats" : "open";
}
