/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording with the tallies that reports show. */
#include "rangefinder/summary.h"
#include "stats/report_list.h"
#include "summary/collect.h"

/* All tallies of a kind are of one report: what goes beyond the limit need not wait for the next.
 */
static void add_tallies(struct rf_collecting *c)
{
    const struct rf_report *report;
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL && c->status == RF_OK; i++) {
        const size_t first = c->summary->tallies.n;
        if (report->collect == NULL)
            continue;
        report->collect(report, c);
        if (c->status == RF_OK)
            c->status = rf_summary_tallies_limit(c->summary, first, c->options.max_tallies);
    }
}

int rf_summary_add(rf_summary *summary, const rf_recording *rec,
                   const struct rf_summary_options *options, struct rf_err *err)
{
    return rf_summary_collect(summary, rec, options, add_tallies, err);
}
