/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_mem_size_sum: the bytes of copies and sets by kind. Columns are those of Nsight Systems.
 */
#include "stats/reports/name_sum.h"
#include "stats/stats.h"

static const struct rf_column columns[] = {
    {"Total (MB)", RF_COLUMN_MEGA},  {"Count", RF_COLUMN_COUNT},    {"Avg (MB)", RF_COLUMN_MEGA},
    {"Med (MB)", RF_COLUMN_MEGA},    {"Min (MB)", RF_COLUMN_MEGA},  {"Max (MB)", RF_COLUMN_MEGA},
    {"StdDev (MB)", RF_COLUMN_MEGA}, {"Operation", RF_COLUMN_WORD},
};

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_size_sum(rec, table, "CUDA GPU MemOps Summary (by Size)", columns,
                            sizeof(columns) / sizeof(columns[0]), err);
}

const struct rf_report rf_report_cuda_gpu_mem_size_sum = {
    .name = "cuda_gpu_mem_size_sum",
    .alias = "gpumemsizesum",
    .description = "the bytes of copies and sets of the GPU, by kind",
    .shown = RF_REPORT_OF_MEMORY,
    .fill = fill,
};
