/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_explain.h"

#include <stdio.h>
#include <string.h>

#include "cli/command_help.h"
#include "cli/usage_error.h"
#include "cli/verbs/stats_request.h"
#include "rangefinder/rangefinder.h"

#define MEANING_COLUMN 26
#define FORMAT_COLUMN  16

/* Those of more than one format. */
static const char *const format_options[][2] = {
    {"nohdr", "no line with titles"},
    {"nolimit", "longer than the terminal is wide: no name is cut"},
    {"nofmt", "no commas between thousands"},
    {"WIDTH",
     "width of a column: the first WIDTH that of the first column; . is as wide as needed, 0 "
     "leaves the column out"},
    {"esc", "accepted: tabs are always escaped"},
    {"title=TEXT", "title of the page"},
    {"css=ADDRESS", "style sheet of the page; the last option"},
    {"time=UNIT",
     "all formats: unit of times, ns, us, ms or s; --timeunit gives it to all formats"},
    {"ts=UNIT", "all formats: unit of starts and ends alone"},
    {"dur=UNIT", "all formats: unit of durations alone"},
    {"mem=UNIT", "all formats: unit of sizes, B, KB, MB or GB"},
};

int stats_list_reports(void)
{
    const char *name, *description;
    for (size_t i = 0; (name = rf_report_at(i, &description)) != NULL; i++)
        printf("%c %-22s %s\n", rf_report_is_default(NULL, i) ? '*' : ' ', name, description);
    return CLI_OK;
}

static void print_arguments(const char *report)
{
    const char *name, *meaning;
    for (size_t i = 0; (name = rf_report_argument_at(report, i, &meaning)) != NULL; i++) {
        int n = printf("  :%s", name);
        cli_print_wrapped((size_t)n, MEANING_COLUMN, meaning);
    }
}

static void print_quantiles(const char *report)
{
    const char *before, *unit;
    for (size_t i = 0; (before = rf_report_quantile_at(report, i, &unit)) != NULL; i++) {
        int n = printf("  %spP%s", before, unit);
        cli_print_wrapped((size_t)n, MEANING_COLUMN,
                          "with --quantiles P,..., such as p99.9: the smallest value that P "
                          "percent do not exceed");
    }
}

static void explain(const char *report, const char *description)
{
    const char *title, *meaning;
    printf("%s: %s\n", report, description);
    print_arguments(report);
    putchar('\n');
    for (size_t i = 0; (title = rf_report_column_at(report, i, &meaning)) != NULL; i++) {
        int n = printf("  %s", title);
        if (n >= MEANING_COLUMN) { /* on the lines below it */
            putchar('\n');
            n = 0;
        }
        cli_print_wrapped((size_t)n, MEANING_COLUMN, meaning);
    }
    print_quantiles(report);
}

int stats_explain_formats(void)
{
    const char *usage, *description;
    for (size_t i = 0; rf_report_format_at(i, &usage, &description) != NULL; i++) {
        printf("  %s\n", usage);
        cli_print_wrapped(0, 6, description);
    }
    printf("\noptions:\n");
    for (size_t i = 0; i < sizeof(format_options) / sizeof(format_options[0]); i++) {
        int n = printf("  :%s", format_options[i][0]);
        cli_print_wrapped((size_t)n, FORMAT_COLUMN, format_options[i][1]);
    }
    return CLI_OK;
}

int stats_explain(const struct cli_command *command, const char *report)
{
    const bool is_all = strcmp(report, "ALL") == 0;
    const char *wanted = rf_report_find(report);
    const char *name, *description;
    struct rf_err err;
    bool is_first = true;
    if (wanted == NULL && !is_all)
        return rf_report_parse(report, &err) != RF_OK ? cli_usage_error(command, "%s", err.text)
                                                      : CLI_USAGE;
    for (size_t i = 0; (name = rf_report_at(i, &description)) != NULL; i++) {
        if (!is_all && strcmp(name, wanted) != 0)
            continue;
        if (!is_first)
            putchar('\n');
        explain(name, description);
        is_first = false;
    }
    return CLI_OK;
}
