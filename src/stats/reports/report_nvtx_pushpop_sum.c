/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_pushpop_sum: nvtx_sum of push/pop ranges alone. */
#include "stats/reports/nvtx_sum.h"
#include "stats/stats.h"

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_nvtx_sum(rec, table, "NVTX Push/Pop Range Summary", RF_EVENT_PUSH_POP, err);
}

const struct rf_report rf_report_nvtx_pushpop_sum = {
    .name = "nvtx_pushpop_sum",
    .alias = "nvtxppsum",
    .description = "the time in NVTX push/pop ranges, by domain and message",
    .shown = RF_REPORT_ON_REQUEST,
    .fill = fill,
};
