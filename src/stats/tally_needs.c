/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/tally_needs.h"

#include "base/error.h"
#include "rangefinder/summary.h"
#include "summary/summary_data.h"

/* Whether anything was looked for: an older rangefinder did not. */
static bool is_of_tallies(const rf_summary *summary, uint32_t input)
{
    for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS; kind++)
        if (rf_searched_of(&summary->tallies.searched[kind], input).n_searched > 0)
            return true;
    return false;
}

int rf_check_tallies(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                     struct rf_err *err)
{
    if (report->tallies == 0 ||
        rf_searched_of(&summary->tallies.searched[report->tallies - 1], input).n_searched > 0 ||
        rf_report_missing_in_summary(summary, input, report->name, NULL, 0))
        return RF_OK;
    const bool has_events = rf_summary_input_at(summary, input)->n_searched > 0;
    const bool needs_samples = (report->needs & (RF_NEEDS_SAMPLES | RF_NEEDS_NVTX_COUNTERS)) != 0;
    if (is_of_tallies(summary, input) &&
        (!has_events || needs_samples)) /* they are not kept then */
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "the recording was summed up as it was read, and what %s shows is not in "
                       "the summary: 'rangefinder summarize --steps' opens it with all events",
                       report->name);
    return rf_fail(err, RF_ERR_UNSUPPORTED,
                   "the summary was made by an older rangefinder, and what %s shows is not in it: "
                   "'rangefinder summarize' the recording again",
                   report->name);
}
