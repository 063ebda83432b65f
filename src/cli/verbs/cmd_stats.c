/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats: tables computed from a recording. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/in_turn.h"
#include "cli/input_part.h"
#include "cli/input_rank.h"
#include "cli/inputs.h"
#include "cli/option_parser.h"
#include "cli/progress_option.h"
#include "cli/waiting.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/verbs/stats_explain.h"
#include "cli/verbs/stats_many.h"
#include "cli/verbs/stats_request.h"
#include "rangefinder/summary.h"

enum {
    OPT_REPORT = 1,
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_FORCE,
    OPT_QUIET,
    OPT_BY_PROCESS,
    OPT_RAW,
    OPT_RANK_FROM,
    OPT_GROUP_BY,
    OPT_EXPLAIN,
    OPT_JOBS,
    OPT_TIME_UNIT,
    OPT_QUANTILES,
    OPT_FOLD,
    OPT_ROWS,
    OPT_STEP,
    OPT_COLLECTIVE,
    OPT_HELP_FORMATS,
    OPT_HELP_REPORTS,
    OPT_ALLOW_EMPTY,
    OPT_SUM_INPUTS,
    OPT_CUT_RANGES,
    OPT_SQLITE,
    OPT_REPORT_DIR,
    OPT_IGNORED
};

static const struct cli_option options[] = {
    {OPT_REPORT, 'r', "report", CLI_ARG_VALUE, "REPORT,...",
     "Reports of the list below, with arguments, as in cuda_gpu_kern_sum:base:rows=5. Default: "
     "those with *, of what the recording has; people see self_time instead of nvtx_sum.",
     NULL},
    {OPT_HELP_REPORTS, '\0', "help-reports", CLI_ARG_OPTIONAL, "REPORT",
     "Print the list of reports, or the arguments and columns of a report, or of ALL.", NULL},
    {OPT_ALLOW_EMPTY, '\0', "allow-empty", CLI_ARG_BOOL, NULL,
     "A report that -r names, and for which the recording has no data, is an empty table and no "
     "failure.",
     NULL},
    {OPT_FORMAT, 'f', "format", CLI_ARG_VALUE, "FORMAT,...",
     "column, table, csv, tsv, json, hdoc, htable or markdown, with options, as in csv:nohdr. The "
     "n-th is that of the n-th report, and the last that of all others. Default: by the ending of "
     "-o, else column on standard output and csv elsewhere.",
     NULL},
    {OPT_HELP_FORMATS, '\0', "help-formats", CLI_ARG_NONE, NULL,
     "Print the formats and their options.", NULL},
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT,...",
     "Write OUT_REPORT.csv (.json, .txt, ...), or OUT itself where it has such an ending; . is "
     "named like FILE; @COMMAND receives the table on its standard input; - is standard output, "
     "the default. The n-th is that of the n-th report, and the last that of all others.",
     NULL},
    {OPT_TIME_UNIT, '\0', "timeunit", CLI_ARG_VALUE, "UNIT",
     "Show times in nsec (nanoseconds, the default), usec (microseconds), msec (milliseconds) or "
     "seconds; the beginning of a word is enough.",
     NULL},
    {OPT_FORCE, '\0', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite existing files.", NULL},
    {OPT_BY_PROCESS, '\0', "by-process", CLI_ARG_BOOL, NULL,
     "Ranges that ended on another thread cover the calls of all threads of their process.", NULL},
    {OPT_RAW, '\0', "raw", CLI_ARG_BOOL, NULL,
     "csv, column, table: write names unchanged, with control characters and text that a "
     "spreadsheet takes for a formula.",
     NULL},
    {OPT_GROUP_BY, '\0', "group-by", CLI_ARG_VALUE, "payload[.NAME]",
     "Summaries of ranges: a row for each value that payloads have there. Without -r: nvtx_sum.",
     NULL},
    {OPT_QUANTILES, '\0', "quantiles", CLI_ARG_VALUE, "P,...",
     "Summaries with a median have columns p50, p99.9, ... too, for --quantiles 50,99.9: the "
     "smallest value that so many percent do not exceed.",
     NULL},
    {OPT_STEP, '\0', "step", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "steps, breakdown_steps: the ranges of this name are the steps, and those whose names differ "
     "only by numbers. Default: they are found.",
     NULL},
    {OPT_COLLECTIVE, '\0', "collective", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "Reports of collectives and ranks: the ranges of this name are collectives too.", NULL},
    {OPT_FOLD, '\0', "fold-numbers", CLI_ARG_BOOL, NULL,
     "Names of ranges, and in sums by name those of kernels, that differ by numbers are one: op_17 "
     "and op_18 are op_#. Default: only in self_time and critical, and there with more than 100 "
     "names.",
     NULL},
    {OPT_ROWS, '\0', "rows", CLI_ARG_VALUE, "N|all",
     "Print the first N rows of each table. Default: 30 on a terminal, else all.", NULL},
    {OPT_SUM_INPUTS, '\0', "sum-inputs", CLI_ARG_BOOL, NULL,
     "Add all FILEs up, recordings and summaries: one table for each report that a summary can "
     "give.",
     NULL},
    {OPT_CUT_RANGES, '\0', "cut-ranges", CLI_ARG_VALUE, "count|leave-out|mark",
     "Ranges whose end, or whose begin in a capture, was not recorded: they count, up to where "
     "they "
     "were cut, are left out, or count and nvtx_sum, nvtx_pushpop_sum and nvtx_startend_sum have a "
     "column for how many they are. Default: count.",
     NULL},
    CLI_RANK_FROM_OPTION(OPT_RANK_FROM),
    CLI_JOBS_OPTION(OPT_JOBS),
    {OPT_EXPLAIN, '\0', "explain", CLI_ARG_VALUE, "REPORT",
     "Print what the columns of a report mean, or of ALL; FILE is not needed.", NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {OPT_SQLITE, '\0', "sqlite", CLI_ARG_VALUE, "FILE", NULL, NULL},
    {OPT_REPORT_DIR, '\0', "report-dir", CLI_ARG_VALUE, "DIR", NULL, NULL},
    {OPT_IGNORED, '\0', "force-export", CLI_ARG_BOOL, NULL, NULL, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int add_reports(struct stats_request *request, const struct cli_parser *parser)
{
    const char *p = parser->value;
    do {
        char word[sizeof(request->words[0])];
        struct rf_err err;
        size_t length = strcspn(p, ",");
        if (length == 0)
            return cli_usage_error(parser->command, "-r '%s': a name of a report is missing",
                                   parser->value);
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length;
        if (rf_report_parse(word, &err) != RF_OK)
            return cli_usage_error(parser->command, "%s", err.text);
        (void)stats_add_report(request, word, request->n_reports);
    } while (*p++ == ',');
    return CLI_OK;
}

/* Options of nsys stats that mean nothing here. */
static int refuse(const struct cli_parser *parser, const char *reason)
{
    return cli_usage_error(parser->command, "--%s: %s", parser->option->name, reason);
}

/* Options with a value. Returns an exit status. */
static int set_value(struct stats_request *request, struct cli_parser *parser, int id)
{
    switch (id) {
    case OPT_REPORT:
        return add_reports(request, parser);
    case OPT_FORMAT:
        return stats_add_formats(&request->outputs, parser->command, parser->value);
    case OPT_OUTPUT:
        return stats_add_outputs(&request->outputs, parser->command, parser->value);
    case OPT_JOBS:
        return cli_set_jobs(&request->n_jobs, parser);
    case OPT_CUT_RANGES:
        return cli_set_cut_ranges(&request->filter, &request->marks_cut, parser) ? CLI_OK
                                                                                 : parser->status;
    case OPT_RANK_FROM:
        return cli_rank_source_set(&request->rank_source, parser);
    case OPT_SQLITE:
        return refuse(parser, "tables are made of FILE itself, without a database beside it; "
                              "'rangefinder export -t sqlite' writes one");
    case OPT_REPORT_DIR:
        return refuse(parser, "the scripts of nsys are not run; the reports are part of this "
                              "program");
    case OPT_TIME_UNIT:
        request->outputs.time_unit = parser->value;
        return CLI_OK;
    case OPT_QUANTILES:
        request->quantiles = parser->value;
        return CLI_OK;
    case OPT_STEP:
        request->step = parser->value;
        return CLI_OK;
    case OPT_COLLECTIVE:
        request->collective = parser->value;
        return CLI_OK;
    case OPT_FOLD:
        request->fold_numbers = parser->is_true ? 1 : -1;
        return CLI_OK;
    case OPT_ROWS:
        return stats_set_rows(request, parser);
    case OPT_EXPLAIN:
        request->explain = parser->value;
        return CLI_OK;
    default:
        request->filter.options.group_by = parser->value;
        return CLI_OK;
    }
}

static int set_option(struct stats_request *request, struct cli_parser *parser, int id)
{
    switch (id) {
    case OPT_HELP_FORMATS:
        request->has_help_formats = true;
        return CLI_OK;
    case OPT_HELP_REPORTS:
        request->explain = parser->value;
        request->has_help_reports = parser->value == NULL;
        return CLI_OK;
    case OPT_SUM_INPUTS:
        request->sums_inputs = parser->is_true;
        return CLI_OK;
    case OPT_ALLOW_EMPTY:
        request->can_be_empty = parser->is_true;
        return CLI_OK;
    case OPT_FORCE:
        request->can_overwrite = parser->is_true;
        return CLI_OK;
    case OPT_BY_PROCESS:
        request->by_process = parser->is_true;
        return CLI_OK;
    case OPT_RAW:
        request->is_raw = parser->is_true;
        return CLI_OK;
    case OPT_QUIET:
        request->is_quiet = parser->is_true;
        return CLI_OK;
    case OPT_IGNORED:
        return CLI_OK;
    default:
        return set_value(request, parser, id);
    }
}

static int parse(struct stats_request *request, struct cli_parser *parser)
{
    int id;
    while ((id = cli_parser_next(parser)) > 0) {
        if (!cli_filter_option(&request->filter, id, parser))
            parser->status = set_option(request, parser, id);
        if (parser->status != CLI_OK)
            return -1;
    }
    return id;
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
static int write_report(struct stats_request *request, const rf_recording *rec, const char *input,
                        size_t i, bool is_first)
{
    struct stats_target target;
    struct stats_pipe pipe;
    struct rf_err err;
    stats_settle(&request->outputs, request->place[i], request->reports[i], input, &target);
    struct report_progress progress = {.report = request->reports[i]};
    struct rf_report_options report_options = stats_report_options(request, i, &target, &pipe);
    report_options.progress = show_progress;
    report_options.progress_context = &progress;
    stats_begin_table(&target, is_first);
    int status = rf_report(rec, &report_options, &err);
    if (status == RF_OK)
        stats_say_empty(request, request->reports[i], request->n_rows);
    if (status == RF_OK)
        stats_say_approximate(request, &target, request->is_approximate != 0);
    return stats_end_table(request, &target, &pipe, status, &err);
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

static void add_default_reports(struct stats_request *request, const rf_recording *rec,
                                const char *input)
{
    const char *known, *left_out[STATS_MAX_REPORTS];
    size_t n_left_out = 0;
    for (size_t i = 0; i < STATS_MAX_REPORTS && (known = rf_report_at(i, NULL)) != NULL; i++) {
        int choice = rf_report_is_default(rec, i);
        if (choice > 0)
            (void)stats_add_report(request, stats_default_report(request, known, i, input), i);
        else if (choice < 0)
            left_out[n_left_out++] = known;
    }
    if (request->n_reports == 0)
        cli_say("there are no ranges, calls, GPU work or counters to make tables of");
    else if (!request->is_quiet)
        say_left_out(left_out, n_left_out);
}

/* Whether options say what a report is made of, whatever the recording has by itself. */
static bool says_what(const struct stats_request *request, const char *report)
{
    return request->filter.options.group_by != NULL ||
           (request->collective != NULL && rf_report_compares_inputs(report) == 1);
}

/* Whether the table of a report that was asked for is made. What a filter leaves out is there. */
static bool has_data(const struct stats_request *request, const rf_recording *whole,
                     const char *report)
{
    char text[STATS_MISSING_SIZE];
    if (request->is_default || says_what(request, report) ||
        !rf_report_missing(whole, report, text, sizeof(text)))
        return true;
    if (!request->can_be_empty || !request->is_quiet)
        cli_say("%s", text);
    return request->can_be_empty;
}

/* A report that would be too large is left out; where it was asked for, that is a failure. */
static int write_reports(struct stats_request *request, const struct cli_part *part,
                         const char *input)
{
    int status = RF_OK;
    bool is_refused = false, is_first = true;
    for (size_t i = 0; i < request->n_reports && status == RF_OK; i++) {
        if (!has_data(request, part->whole, request->reports[i])) {
            is_refused = true;
            continue;
        }
        status = write_report(request, part->shown, input, i, is_first);
        is_first = false;
        if (status == RF_ERR_UNSUPPORTED) {
            is_refused |= !request->is_default;
            status = RF_OK;
        }
    }
    if (status == RF_OK)
        return is_refused ? CLI_FAILED : CLI_OK;
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int stats_of(const struct cli_command *command, struct stats_request *request,
                    const char *input)
{
    struct cli_part part;
    request->is_default = request->n_reports == 0;
    const struct cli_part_request of = {
        input, 0, stats_open_flags(request), &request->filter, &request->rank_source, NULL};
    int status = cli_input_part_open(&part, &of, NULL);
    if (status == CLI_OK && part.shown == NULL)
        status = cli_say_no_rank(&request->filter);
    if (status != CLI_OK)
        return status;
    if (request->is_default)
        add_default_reports(request, part.shown, input);
    status = stats_check_outputs(&request->outputs, command, request->n_reports);
    if (status == CLI_OK)
        status = write_reports(request, &part, input);
    if (status == CLI_OK)
        stats_say_next(request, input);
    cli_part_close(&part);
    return status;
}

/* What asks for something that summaries have not kept: filters but that of ranks, and options. */
static const char *asks_of_recordings(const struct stats_request *request)
{
    return request->marks_cut                         ? "--cut-ranges is for"
           : request->step != NULL                    ? "--step is for"
           : request->filter.options.group_by != NULL ? "--group-by is for"
           : request->by_process                      ? "--by-process is for"
           : request->collective != NULL              ? "--collective is for"
           : request->fold_numbers > 0                ? "--fold-numbers is for"
           : cli_filter_is_within(&request->filter)   ? "filter"
                                                      : NULL;
}

static int check_summaries(const struct cli_command *command, const struct stats_request *request,
                           const struct cli_inputs *inputs)
{
    const char *asks = asks_of_recordings(request);
    for (size_t i = 0; i < inputs->n && asks != NULL; i++)
        if (rf_is_summary(inputs->input[i].path))
            return cli_usage_error(command, "'%s' is a summary: %s the recordings that it is of",
                                   inputs->input[i].path, asks);
    return CLI_OK;
}

static bool has_summary(const struct cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (rf_is_summary(inputs->input[i].path))
            return true;
    return false;
}

/* The reports that can be made of sums, with commas. */
static const char *list_of_sums(char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL && used < size; i++)
        if (rf_report_reads_summaries(name))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    return text;
}

/* What --sum-inputs can add up. */
static int check_sums(const struct cli_command *command, const struct stats_request *request)
{
    char known[2000];
    const char *other = request->filter.options.group_by != NULL ? "--group-by"
                        : request->by_process                    ? "--by-process"
                        : request->marks_cut                     ? "--cut-ranges=mark"
                                                                 : NULL;
    if (!request->sums_inputs)
        return CLI_OK;
    if (other != NULL)
        return cli_usage_error(command, "--sum-inputs does not go with %s", other);
    for (size_t i = 0; i < request->n_reports; i++)
        if (!rf_report_reads_summaries(request->reports[i]))
            return cli_usage_error(command, "--sum-inputs: %s cannot be added up; these can: %s",
                                   request->reports[i], list_of_sums(known, sizeof(known)));
    return CLI_OK;
}

/* Whether FILEs are shown as several are, with a column of ranks or files. */
static bool are_many(const struct stats_request *request, const struct cli_inputs *inputs)
{
    return inputs->are_many || request->sums_inputs || has_summary(inputs) ||
           request->rank_source.from != CLI_RANK_KNOWN;
}

/* When the options are right. */
static int stats_of_operands(const struct cli_parser *parser, struct stats_request *request)
{
    const struct cli_command *command = parser->command;
    struct cli_inputs inputs = {.input = NULL};
    if (request->explain != NULL)
        return stats_explain(command, request->explain);
    if (request->has_help_reports)
        return stats_list_reports();
    if (request->has_help_formats)
        return stats_explain_formats();
    if (request->filter.options.group_by != NULL && request->n_reports == 0)
        (void)stats_add_report(request, "nvtx_sum", 0);
    int status = stats_check_formats(&request->outputs, command);
    if (status == CLI_OK)
        status = stats_check_outputs(&request->outputs, command, request->n_reports);
    if (status == CLI_OK)
        status = check_sums(command, request);
    if (request->is_quiet)
        cli_waiting_quiet();
    if (status == CLI_OK)
        status = cli_inputs_list(&inputs, parser);
    if (status == CLI_OK)
        status = check_summaries(command, request, &inputs);
    if (status == CLI_OK)
        status = are_many(request, &inputs) ? stats_many(parser, request, &inputs)
                                            : stats_of(command, request, inputs.input[0].path);
    cli_inputs_release(&inputs);
    return status;
}

static int stats_run(const struct cli_command *command, int argc, char **argv)
{
    struct stats_request request;
    struct cli_parser parser;
    memset(&request, 0, sizeof(request));
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    int status =
        parse(&request, &parser) == 0 ? stats_of_operands(&parser, &request) : parser.status;
    cli_rank_source_release(&request.rank_source);
    stats_outputs_release(&request.outputs);
    return status;
}

static void print_reports(void)
{
    printf("\nreports:\n");
    (void)stats_list_reports();
}

const struct cli_command cli_cmd_stats = {
    .name = "stats",
    .summary = "print tables of statistics",
    .synopsis = "[options] FILE...",
    .operands = "RECORDING...",
    .description =
        "Computes tables from the recording FILE (NAME.rf, a session directory, what nsys "
        "exported with\n-t sqlite or torch.profiler wrote) or the summary NAME.rfsum. Of several, "
        "or of a "
        "folder of recordings, a table "
        "has the rows of each,\nwith its name, host and rank before them.",
    .options = options,
    .print_list = print_reports,
    .run = stats_run,
};
