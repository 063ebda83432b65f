/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_mem_time_sum: the time in copies and sets by kind. Columns are those of Nsight Systems.
 */
#include "stats/reports/name_sum.h"
#include "stats/stats.h"

static const struct rf_column columns[] = {
    {"Time (%)", RF_COLUMN_REAL},  {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Count", RF_COLUMN_COUNT},    {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},  {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT}, {"StdDev (ns)", RF_COLUMN_REAL},
    {"Operation", RF_COLUMN_WORD},
};

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_name_sum(rec, table, "CUDA GPU MemOps Summary (by Time)", columns,
                            sizeof(columns) / sizeof(columns[0]), RF_SUM_MEMORY, err);
}

const struct rf_report rf_report_cuda_gpu_mem_time_sum = {
    .name = "cuda_gpu_mem_time_sum",
    .alias = "gpumemtimesum",
    .description = "the time in copies and sets of the GPU, by kind",
    .shown = RF_REPORT_OF_MEMORY,
    .fill = fill,
};
