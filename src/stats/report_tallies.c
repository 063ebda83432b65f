/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/report_tallies.h"

#include "stats/report_list.h"
#include "summary/collect.h"

void rf_reports_collect(struct rf_collecting *c)
{
    const struct rf_report *report;
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL && c->status == RF_OK; i++)
        if (report->collect != NULL)
            report->collect(report, c);
}
