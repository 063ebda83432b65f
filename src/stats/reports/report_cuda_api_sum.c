/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_api_sum: the time in calls of the CUDA runtime and driver by function. Columns are those of
 * Nsight Systems. */
#include "stats/reports/name_sum.h"
#include "stats/stats.h"

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_name_sum(rec, table, "CUDA API Summary", rf_call_columns, RF_N_CALL_COLUMNS,
                            RF_SUM_CUDA_CALLS, err);
}

const struct rf_report rf_report_cuda_api_sum = {
    .name = "cuda_api_sum",
    .alias = "cudaapisum",
    .description = "the time in calls of CUDA, by function",
    .shown = RF_REPORT_OF_CUDA_CALLS,
    .fill = fill,
};
