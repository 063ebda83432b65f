/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats: tables computed from a recording. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/option_parser.h"
#include "cli/waiting.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/usage_error.h"

enum {
    OPT_REPORT = 1,
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_FORCE,
    OPT_QUIET,
    OPT_BY_PROCESS,
    OPT_RAW,
    OPT_IGNORED
};

static const struct cli_option options[] = {
    {OPT_REPORT, 'r', "report", CLI_ARG_VALUE, "REPORT,...",
     "Reports of the list below. Default: those with *, of what the recording has.", NULL},
    {OPT_FORMAT, 'f', "format", CLI_ARG_VALUE, "table|csv|json",
     "Default: by the ending of -o, else table on a terminal or pipe and csv in a file.", NULL},
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT",
     "Write OUT_REPORT.csv (.json, .txt), or OUT itself where it has such an ending; . is named "
     "like FILE; - is standard output, the default.",
     NULL},
    {OPT_FORCE, '\0', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite existing files.", NULL},
    {OPT_BY_PROCESS, '\0', "by-process", CLI_ARG_BOOL, NULL,
     "Ranges that ended on another thread cover the calls of all threads of their process.", NULL},
    {OPT_RAW, '\0', "raw", CLI_ARG_BOOL, NULL,
     "csv, table: write names unchanged, with control characters and text that a spreadsheet takes "
     "for a formula.",
     NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_FILTER_OPTIONS,
    {OPT_IGNORED, '\0', "force-export", CLI_ARG_BOOL, NULL, NULL, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

#define MAX_REPORTS 64

struct stats_request {
    const char *reports[MAX_REPORTS]; /* names that the library owns */
    size_t n_reports;
    bool is_default;    /* no report was asked for */
    const char *format; /* NULL: not said */
    const char *output;
    bool can_overwrite;
    bool is_quiet;
    bool by_process;
    bool is_raw;
    struct rf_filter_options filter;
};

/* Format, and the ending of its files. */
static const char *const formats[][2] = {{"table", "txt"}, {"csv", "csv"}, {"json", "json"}};
#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static int fail_report(const struct cli_command *command, const char *name)
{
    const char *known[MAX_REPORTS];
    size_t n = 0;
    for (; n < MAX_REPORTS && (known[n] = rf_report_at(n, NULL)) != NULL; n++)
        ;
    const char *near = rf_nearest_name(name, known, n);
    return cli_usage_error(command, "unknown report '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
}

static int add_reports(struct stats_request *request, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        char word[64];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        const char *known = rf_report_find(word);
        if (known == NULL)
            return fail_report(parser->command, word);
        if (request->n_reports < MAX_REPORTS)
            request->reports[request->n_reports++] = known;
    }
    return CLI_OK;
}

static int set_format(struct stats_request *request, const struct cli_parser *parser)
{
    const char *wanted = strcmp(parser->value, "column") == 0 ? "table" : parser->value;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i][0], wanted) == 0) {
            request->format = formats[i][0];
            return CLI_OK;
        }
    return cli_usage_error(parser->command, "unknown format '%s'; known: table, csv, json",
                           parser->value);
}

static int parse(struct stats_request *request, struct cli_parser *parser)
{
    int id;
    while ((id = cli_parser_next(parser)) > 0) {
        if (cli_filter_option(&request->filter, id, parser))
            continue;
        if (id == OPT_REPORT)
            parser->status = add_reports(request, parser);
        else if (id == OPT_FORMAT)
            parser->status = set_format(request, parser);
        else if (id == OPT_OUTPUT)
            request->output = parser->value;
        else if (id == OPT_FORCE)
            request->can_overwrite = parser->is_true;
        else if (id == OPT_BY_PROCESS)
            request->by_process = parser->is_true;
        else if (id == OPT_RAW)
            request->is_raw = parser->is_true;
        else if (id == OPT_QUIET)
            request->is_quiet = parser->is_true;
        if (parser->status != CLI_OK)
            return -1;
    }
    return id;
}

/* The index in formats[] that an output name asks for, or N_FORMATS. */
static size_t format_of_name(const char *output)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        char ending[16];
        (void)snprintf(ending, sizeof(ending), ".%s", formats[i][1]);
        if (cli_has_suffix(output, ending))
            return i;
    }
    return N_FORMATS;
}

/* Settles format and file of one report. */
static const char *name_output(const struct stats_request *request, const char *input,
                               const char *report, char *path, size_t size)
{
    char base[PATH_MAX];
    bool is_stdout = strcmp(request->output, "-") == 0;
    size_t named = format_of_name(request->output);
    size_t format = is_stdout ? 0 : named < N_FORMATS ? named : 1;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (request->format == formats[i][0])
            format = i;
    if (is_stdout || named < N_FORMATS) {
        (void)snprintf(path, size, "%s", request->output);
        return formats[format][0];
    }
    cli_recording_base(base, sizeof(base), input);
    (void)snprintf(path, size, "%s_%s.%s",
                   strcmp(request->output, ".") == 0 ? base : request->output, report,
                   formats[format][1]);
    return formats[format][0];
}

struct report_progress {
    const char *report;
    struct cli_waiting waiting;
};

static int show_progress(void *context, double done)
{
    struct report_progress *progress = context;
    if (done < 1)
        cli_waiting_begin(&progress->waiting, "computing %s", progress->report);
    else
        cli_waiting_end(&progress->waiting);
    return 0;
}

/* Returns RF_OK or a negative error after a message. */
static int write_report(const struct stats_request *request, const rf_recording *rec,
                        const char *input, const char *report)
{
    char path[PATH_MAX + 128];
    struct rf_err err;
    const char *format = name_output(request, input, report, path, sizeof(path));
    struct report_progress progress = {.report = report};
    const struct rf_report_options report_options = {
        .size = sizeof(report_options),
        .report = report,
        .format = format,
        .output = path,
        .can_overwrite = request->can_overwrite,
        .by_process = request->by_process,
        .is_raw = request->is_raw,
        .width = strcmp(path, "-") == 0 ? cli_output_width() : 0,
        .progress = show_progress,
        .progress_context = &progress,
    };
    int status = rf_report(rec, &report_options, &err);
    if (status == RF_ERR_EXISTS) /* -f is the format here, as in nsys */
        cli_say("'%s' exists already; use --force-overwrite to overwrite it", path);
    else if (status != RF_OK)
        cli_say("%s", err.text);
    else if (!request->is_quiet && strcmp(path, "-") != 0)
        cli_say("wrote '%s'", path);
    return status;
}

/* Reports for which the recording has no data are left out and named in one line. */
static void say_left_out(const char *const *names, size_t n)
{
    char more[32] = "";
    if (n > 3)
        (void)snprintf(more, sizeof(more), " and %zu more", n - 3);
    if (n > 0)
        cli_say("left out, since there is nothing for them: %s%s%s%s%s%s", names[0],
                n > 1 ? ", " : "", n > 1 ? names[1] : "", n > 2 ? ", " : "", n > 2 ? names[2] : "",
                more);
}

static void add_default_reports(struct stats_request *request, const rf_recording *rec)
{
    const char *known, *left_out[MAX_REPORTS];
    size_t n_left_out = 0;
    for (size_t i = 0; i < MAX_REPORTS && (known = rf_report_at(i, NULL)) != NULL; i++) {
        int choice = rf_report_is_default(rec, i);
        if (choice > 0)
            request->reports[request->n_reports++] = known;
        else if (choice < 0)
            left_out[n_left_out++] = known;
    }
    if (request->n_reports == 0)
        cli_say("there are no ranges, calls, GPU work or counters to make tables of");
    else if (!request->is_quiet)
        say_left_out(left_out, n_left_out);
}

static int check_output(const struct cli_command *command, const struct stats_request *request)
{
    if (request->n_reports < 2 || format_of_name(request->output) == N_FORMATS)
        return CLI_OK;
    return cli_usage_error(command, "'-o %s' is one file: choose one report with -r",
                           request->output);
}

/* A report that would be too large is left out; where it was asked for, that is a failure. */
static int write_reports(const struct stats_request *request, const rf_recording *rec,
                         const char *input)
{
    int status = RF_OK;
    bool is_refused = false;
    for (size_t i = 0; i < request->n_reports && status == RF_OK; i++) {
        if (i > 0 && strcmp(request->output, "-") == 0) {
            (void)putchar('\n'); /* between tables, as nsys has it */
            (void)fflush(stdout);
        }
        status = write_report(request, rec, input, request->reports[i]);
        if (status == RF_ERR_UNSUPPORTED) {
            is_refused |= !request->is_default;
            status = RF_OK;
        }
    }
    if (status == RF_OK)
        return is_refused ? CLI_FAILED : CLI_OK;
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

/* The parts of the recording that no report needs; none where the recording decides which reports
 * are made. */
static unsigned flags_for(const struct stats_request *request)
{
    unsigned flags = request->n_reports > 0 ? ~0u : 0;
    for (size_t i = 0; i < request->n_reports; i++)
        flags &= rf_report_open_flags(request->reports[i]);
    return flags;
}

static int stats_run(const struct cli_command *command, int argc, char **argv)
{
    struct stats_request request;
    struct cli_parser parser;
    memset(&request, 0, sizeof(request));
    request.output = "-";
    request.filter.size = sizeof(request.filter);
    cli_parser_init(&parser, command, argc, argv);
    if (parse(&request, &parser) != 0)
        return parser.status;
    const char *input = cli_parser_only_operand(&parser, "FILE");
    if (input == NULL)
        return CLI_USAGE;
    if (request.output[0] == '@')
        return cli_usage_error(command, "'-o %s': use a pipe instead: rangefinder stats ... | ...",
                               request.output);
    if (check_output(command, &request) != CLI_OK)
        return CLI_USAGE;
    struct cli_part part;
    if (request.is_quiet)
        cli_waiting_quiet();
    int status = cli_part_open(&part, input, flags_for(&request), &request.filter);
    if (status != CLI_OK)
        return status;
    request.is_default = request.n_reports == 0;
    if (request.is_default)
        add_default_reports(&request, part.shown);
    status = check_output(command, &request);
    if (status == CLI_OK)
        status = write_reports(&request, part.shown, input);
    cli_part_close(&part);
    return status;
}

static void print_reports(void)
{
    const char *name, *description;
    printf("\nreports:\n");
    for (size_t i = 0; (name = rf_report_at(i, &description)) != NULL; i++)
        printf("%c %-21s %s\n", rf_report_is_default(NULL, i) ? '*' : ' ', name, description);
}

const struct cli_command cli_cmd_stats = {
    .name = "stats",
    .summary = "print tables of statistics",
    .synopsis = "[options] FILE",
    .description = "Computes tables from the recording FILE (NAME.rf, or a session directory).",
    .options = options,
    .print_list = print_reports,
    .run = stats_run,
};
