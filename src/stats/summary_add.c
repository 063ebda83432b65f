/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording with the tallies that reports show. */
#include "base/large_pages.h"
#include "rangefinder/summary.h"
#include "stats/report_list.h"
#include "summary/collect.h"
#include "summary/size_limit.h"

/* All tallies of a kind are of one report: those beyond the limit need not wait for the others.
 * What a report freed is given back at once, as the next one needs pieces of other sizes. */
static void add_tallies_of(const struct rf_report *report, struct rf_collecting *c)
{
    const struct rf_tallies *all = &c->summary->tallies;
    const size_t first = all->n;
    report->collect(report, c);
    rf_give_back_freed();
    const size_t n = all->n;
    if (c->status == RF_OK)
        c->status = rf_summary_tallies_limit(c->summary, first, c->options.max_tallies);
    if (all->n < n)
        rf_give_back_freed();
}

static void add_tallies(struct rf_collecting *c)
{
    const struct rf_report *report;
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL && c->status == RF_OK; i++)
        if (report->collect != NULL)
            add_tallies_of(report, c);
    if (c->status == RF_OK && c->options.max_kb > 0)
        c->status = rf_summary_fit(c->summary, &c->options, c->err);
}

int rf_summary_add(rf_summary *summary, const rf_recording *rec,
                   const struct rf_summary_options *options, struct rf_err *err)
{
    rf_give_back_freed(); /* while it was read */
    return rf_summary_collect(summary, rec, options, add_tallies, err);
}
