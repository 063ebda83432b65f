/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording with the tallies that reports show. */
#include "rangefinder/summary.h"
#include "stats/report_list.h"
#include "summary/collect.h"

static void add_tallies(struct rf_collecting *c)
{
    const struct rf_report *report;
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL && c->status == RF_OK; i++)
        if (report->collect != NULL)
            report->collect(report, c);
}

int rf_summary_add(rf_summary *summary, const rf_recording *rec,
                   const struct rf_summary_options *options, struct rf_err *err)
{
    return rf_summary_collect(summary, rec, options, add_tallies, err);
}
