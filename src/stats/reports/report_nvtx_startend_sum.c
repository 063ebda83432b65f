/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_startend_sum: nvtx_sum of start/end ranges alone. */
#include "stats/reports/nvtx_sum.h"
#include "stats/stats.h"

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_nvtx_sum(rec, table, "NVTX Start/End Range Summary", RF_EVENT_START_END, err);
}

const struct rf_report rf_report_nvtx_startend_sum = {
    .name = "nvtx_startend_sum",
    .alias = "nvtxsesum",
    .description = "the time in NVTX start/end ranges, by domain and message",
    .shown = RF_REPORT_ON_REQUEST,
    .fill = fill,
};
