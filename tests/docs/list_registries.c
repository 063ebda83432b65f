/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the reports, their columns, the export formats, the rules of advise and the reports of
 * nsys that are not made, a line each, for lists.py: what they are, then their members, separated
 * by tabs. */
#include <stdio.h>
#include <string.h>

#include "export/formats.h"
#include "rangefinder/advise.h"
#include "stats/report_list.h"
#include "stats/report_refusals.h"

/* Where a report is shown without -r: 0: nowhere; 1: in all forms; 2, 3: only in those for
 * programs, for people. */
static int place_of(const struct rf_report *report)
{
    const struct rf_report *other;
    for (size_t i = 0; (other = rf_report_list_at(i)) != NULL; i++)
        if (other->for_people != NULL && strcmp(other->for_people, report->name) == 0)
            return 3;
    return report->for_people != NULL ? 2 : report->is_default;
}

int main(void)
{
    const struct rf_report *report;
    const char *name, *description, *alias;
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL; i++)
        printf("report\t%s\t%s\t%s\t%d\n", report->name, report->description,
               report->alias != NULL ? report->alias : "", place_of(report));
    for (size_t i = 0; (report = rf_report_list_at(i)) != NULL; i++)
        for (size_t k = 0; k < report->n_columns; k++)
            printf("column\t%s\t%s\t%s\t0\n", report->name, report->columns[k].title,
                   report->columns[k].meaning);
    for (size_t i = 0; (name = rf_export_format_at(i, &description)) != NULL; i++) {
        const struct rf_export_format *format = rf_export_find(name, NULL);
        printf("format\t%s\t%s\t", name, description);
        for (const char *const *extension = format->extensions; *extension != NULL; extension++)
            printf("%s.%s", extension != format->extensions ? " " : "", *extension);
        printf("\t%d\n", format->write_text != NULL);
    }
    for (size_t i = 0; (name = rf_advice_rule_at(i, &description)) != NULL; i++)
        printf("rule\t%s\t%s\t\t0\n", name, description);
    for (size_t i = 0; (name = rf_report_refusal_at(i, &alias, &description)) != NULL; i++)
        printf("refusal\t%s\t%s\t%s\t0\n", name, description, alias != NULL ? alias : "");
    return 0;
}
