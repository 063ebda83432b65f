/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder compare: whether a program became slower. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/in_turn.h"
#include "cli/input_rank.h"
#include "cli/input_sum.h"
#include "cli/inputs.h"
#include "cli/json_out.h"
#include "cli/number_option.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/progress_option.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/verbs/compare_json.h"
#include "cli/verbs/compare_text.h"
#include "cli/waiting.h"

enum {
    OPT_FORMAT = 1,
    OPT_JSON,
    OPT_FAIL_ON,
    OPT_EFFECT,
    OPT_STEP,
    OPT_FOLD,
    OPT_IGNORE,
    OPT_ROWS,
    OPT_RANK_FROM,
    OPT_JOBS,
    OPT_QUIET
};

static const struct cli_option options[] = {
    {OPT_FORMAT, 'f', "format", CLI_ARG_VALUE, "FORMAT",
     "table (default), csv, tsv, markdown or json; with options as in 'rangefinder stats'.", NULL},
    JSON_OPTION(OPT_JSON),
    {OPT_FAIL_ON, '\0', "fail-on", CLI_ARG_VALUE, "slower,counts,cannot-tell,mean",
     "Exit with status 4 if something is slower, if counts differ, if it cannot be told, or if the "
     "mean of the steps is slower. Default: none of them.",
     NULL},
    {OPT_EFFECT, '\0', "effect", CLI_ARG_VALUE, "PERCENT",
     "A smaller change does not matter. Default: 3.", NULL},
    {OPT_STEP, '\0', "step", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "The ranges of this name are the steps, and those whose names differ only by numbers. "
     "Default: they are found.",
     NULL},
    {OPT_FOLD, '\0', "fold-numbers", CLI_ARG_BOOL, NULL,
     "Names of ranges that differ by numbers are one: op_17 and op_18 are op_#. Default: where "
     "there "
     "are more than 100 names, and most differ so.",
     NULL},
    {OPT_IGNORE, '\0', "ignore", CLI_ARG_VALUE, "NAME,...|all",
     "Settings of the machine and the program that may differ between A and B, such as cpu, gpu "
     "and "
     "OMP_NUM_THREADS. Default: none; where one differs, nothing can be told.",
     NULL},
    {OPT_ROWS, '\0', "rows", CLI_ARG_VALUE, "N",
     "The first N rows of each table. Default: 20 in tables for people, otherwise all.", NULL},
    CLI_RANK_FROM_OPTION(OPT_RANK_FROM),
    CLI_JOBS_OPTION(OPT_JOBS),
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

#define DEFAULT_ROWS 20

enum form { FORM_TEXT, FORM_ROWS, FORM_JSON };

struct request {
    struct compare_request shown;
    enum form form;
    unsigned gates; /* enum compare_gate */
    uint32_t max_rows;
    struct rf_compare_options of;
    bool is_quiet, has_failed;
    size_t n_jobs;
    struct cli_filter filter;
    struct cli_sum_request sum;
    struct cli_rank_source rank_source;
};

/* ---- Options ---- */

/* "table" is the table without lines between its columns, of which there are many. */
static int set_format(struct request *request, const struct cli_parser *parser)
{
    static const struct {
        const char *name, *format;
        enum form form;
    } forms[] = {
        {"table", "column", FORM_TEXT},      {"column", "column", FORM_TEXT},
        {"markdown", "markdown", FORM_TEXT}, {"csv", "csv", FORM_ROWS},
        {"tsv", "tsv", FORM_ROWS},           {"json", NULL, FORM_JSON},
    };
    struct rf_err err;
    const size_t size = strcspn(parser->value, ":");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strlen(forms[i].name) != size || memcmp(forms[i].name, parser->value, size) != 0)
            continue;
        const bool is_plain = parser->value[size] == '\0';
        request->form = forms[i].form;
        request->shown.format = is_plain ? forms[i].format : parser->value;
        if (is_plain || rf_report_extension(parser->value, &err) != NULL)
            return CLI_OK;
        return cli_usage_error(parser->command, "--format: %s", err.text);
    }
    return cli_usage_error(parser->command,
                           "--format: '%s' is none of table, csv, tsv, markdown, json",
                           parser->value);
}

static int set_gates(struct request *request, const struct cli_parser *parser)
{
    static const struct {
        const char *name;
        enum compare_gate gate;
    } gates[] = {{"slower", COMPARE_GATE_SLOWER},
                 {"counts", COMPARE_GATE_COUNTS},
                 {"cannot-tell", COMPARE_GATE_UNCLEAR},
                 {"mean", COMPARE_GATE_MEAN}};
    for (const char *word = parser->value;; word++) {
        const size_t size = strcspn(word, ","), n = sizeof(gates) / sizeof(gates[0]);
        size_t i = 0;
        while (i < n && (strlen(gates[i].name) != size || memcmp(gates[i].name, word, size) != 0))
            i++;
        if (i == n)
            return cli_usage_error(parser->command,
                                   "--fail-on: '%.*s' is none of slower, counts, cannot-tell, mean",
                                   (int)size, word);
        request->gates |= gates[i].gate;
        word += size;
        if (*word == '\0')
            return CLI_OK;
    }
}

static int set_effect(struct request *request, const struct cli_parser *parser)
{
    char *end = NULL;
    const double percent = strtod(parser->value, &end);
    if (end != parser->value && end[strspn(end, " %")] == '\0' && percent > 0 && percent <= 1000) {
        request->of.effect = percent / 100;
        return CLI_OK;
    }
    return cli_usage_error(parser->command,
                           "--effect: '%s' is no number of percent above 0, up to 1000",
                           parser->value);
}

static void set_option(struct request *request, int id, struct cli_parser *parser)
{
    if (id == OPT_FORMAT)
        parser->status = set_format(request, parser);
    else if (id == OPT_JSON && parser->is_true)
        request->form = FORM_JSON;
    else if (id == OPT_FAIL_ON)
        parser->status = set_gates(request, parser);
    else if (id == OPT_EFFECT)
        parser->status = set_effect(request, parser);
    else if (id == OPT_STEP)
        request->of.step = parser->value;
    else if (id == OPT_FOLD)
        request->of.fold_numbers = parser->is_true ? 1 : -1;
    else if (id == OPT_IGNORE)
        request->of.ignored = parser->value;
    else if (id == OPT_ROWS)
        parser->status = cli_set_number(&request->max_rows, "--rows", parser);
    else if (id == OPT_RANK_FROM)
        parser->status = cli_rank_source_set(&request->rank_source, parser);
    else if (id == OPT_JOBS)
        parser->status = cli_set_jobs(&request->n_jobs, parser);
    else if (id == OPT_QUIET)
        request->is_quiet = parser->is_true;
    else
        (void)cli_filter_option(&request->filter, id, parser);
}

/* ---- Inputs ---- */

struct job {
    struct request *request;
    const struct cli_inputs *side; /* two */
    rf_summary **summary;          /* by input; NULL: it is not compared */
    bool has_folded;               /* some recordings had too many names */
    size_t n_read, n_ranks;        /* inputs, and those whose rank is known */
};

static int side_of(const struct job *job, size_t *input)
{
    const bool is_b = *input >= job->side[0].n;
    *input -= is_b ? job->side[0].n : 0;
    return is_b;
}

/* Of one input. */
struct one {
    rf_summary *summary;
    int status;
    bool has_failed, is_folded;
};

/* Sums up an input. */
static void sum_input(const struct cli_sum_request *request, struct one *one, const char *path,
                      size_t place)
{
    struct rf_err err;
    rf_summary_free(one->summary);
    one->status = CLI_FAILED;
    if (rf_summary_new(&one->summary, &err) != RF_OK)
        cli_say("%s", err.text);
    else
        one->status = cli_sum_add(request, one->summary, path, place, &one->has_failed);
}

static bool has_left_out_names(const rf_summary *summary)
{
    for (uint32_t i = 0; i < rf_summary_n_inputs(summary); i++)
        if (rf_summary_input_at(summary, i)->n_paths_folded > 0)
            return true;
    return false;
}

/* A recording with more names than a summary keeps is summed up again with fewer names. */
static void read_input(void *context, size_t input, void *item)
{
    const struct job *job = context;
    struct one *one = item;
    const size_t place = input;
    const int side = side_of(job, &input);
    const char *path = job->side[side].input[input].path;
    struct cli_sum_request sum = job->request->sum;
    sum_input(&sum, one, path, place);
    if (one->status != CLI_OK || job->request->of.fold_numbers != 0 || rf_is_summary(path) ||
        !has_left_out_names(one->summary))
        return;
    sum.options.fold_numbers = 1;
    one->is_folded = true;
    sum_input(&sum, one, path, place);
}

static int use_input(void *context, size_t input, void *item)
{
    struct job *job = context;
    struct one *one = item;
    job->request->has_failed |= one->has_failed;
    job->has_folded |= one->is_folded;
    for (uint32_t i = 0; one->status == CLI_OK && i < rf_summary_n_inputs(one->summary); i++) {
        job->n_read++;
        job->n_ranks += rf_summary_input_at(one->summary, i)->rank >= 0;
    }
    job->summary[input] = one->summary;
    one->summary = NULL;
    return one->status;
}

static void release_one(void *context, void *item)
{
    const struct one *one = item;
    (void)context;
    rf_summary_free(one->summary);
}

static int read_inputs(struct job *job)
{
    const struct request *request = job->request;
    const struct cli_in_turn work = {
        job->side[0].n + job->side[1].n,
        job->request->n_jobs,
        sizeof(struct one),
        job,
        read_input,
        use_input,
        release_one,
    };
    const int status = cli_in_turn(&work);
    return status == CLI_OK ? cli_rank_source_check(&request->rank_source, job->n_ranks,
                                                    job->n_read, request->is_quiet)
                            : status;
}

static int add_inputs(const struct job *job, rf_compare *compare)
{
    for (size_t i = 0; i < job->side[0].n + job->side[1].n; i++) {
        struct rf_err err;
        size_t place = i;
        const int side = side_of(job, &place);
        int status = rf_compare_add(compare, (enum rf_compare_side)side, job->summary[i], &err);
        if (status != RF_OK)
            cli_say("%s", err.text);
        if (status != RF_OK && status != RF_ERR_EXISTS)
            return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
    }
    return CLI_OK;
}

/* ---- The answer ---- */

static unsigned failed_gates(const struct request *request, const struct rf_compare_result *result)
{
    unsigned failed = 0;
    if (result->n_slower > 0)
        failed |= COMPARE_GATE_SLOWER;
    if (result->n_counts > 0)
        failed |= COMPARE_GATE_COUNTS;
    if (result->n_cannot_tell + result->n_counts_unclear > 0)
        failed |= COMPARE_GATE_UNCLEAR;
    if (result->n_mean_slower > 0)
        failed |= COMPARE_GATE_MEAN;
    return failed & request->gates;
}

static int print(struct request *request, const rf_compare *compare,
                 const struct rf_compare_result *result, struct rf_err *err)
{
    struct rf_report_options rows = RF_REPORT_OPTIONS_INIT;
    struct compare_request *shown = &request->shown;
    const uint32_t few = request->form == FORM_TEXT ? DEFAULT_ROWS : 0;
    shown->max_rows = request->max_rows > 0 ? request->max_rows : few;
    if (request->form == FORM_JSON)
        return compare_print_json(compare, result, shown, err);
    if (request->form == FORM_TEXT)
        return compare_print(compare, result, shown, err);
    rows.format = shown->format;
    rows.output = "-";
    return rf_compare_write(compare, RF_COMPARE_ALL, shown->max_rows, &rows, err);
}

/* The range that became slower, of which `why` says more: the first one that is in none that did,
 * or the first one where only the whole run is around them. */
static bool find_slower(const rf_compare *compare, struct rf_compare_time *time)
{
    for (int is_part = 0; is_part <= 1; is_part++)
        for (size_t i = 0; rf_compare_time_at(compare, i, time) == RF_OK; i++)
            if (time->verdict == RF_COMPARE_SLOWER && time->is_part == is_part &&
                time->range[0] != '\0' && time->range[0] != '-') /* it would be an option */
                return true;
    return false;
}

/* What became slower can be looked into, in a recording of B. NULL: there is no such. */
static const char *find_next(char line[CLI_NEXT_SIZE], const rf_compare *compare,
                             const struct cli_inputs *b)
{
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    size_t i = 0;
    while (i < b->n && rf_is_summary(b->input[i].path))
        i++;
    return i < b->n && find_slower(compare, &time) &&
                   cli_next_about(line, "why", time.range, b->input[i].path)
               ? line
               : NULL;
}

static int answer(struct request *request, rf_compare *compare, const struct cli_inputs *b)
{
    struct rf_err err;
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    char next[CLI_NEXT_SIZE];
    int status = rf_compare_find(compare, &result, &err);
    if (status == RF_OK) {
        request->shown.failed_gate = failed_gates(request, &result);
        request->shown.next = find_next(next, compare, b);
        status = print(request, compare, &result, &err);
    }
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return status == RF_ERR_USAGE && !request->has_failed ? CLI_USAGE : CLI_FAILED;
    }
    if (result.n_common == 0 && result.n_paths_folded == 0) {
        cli_say("the sides have no name in common: these are recordings of different programs");
        return CLI_FAILED;
    }
    if (!request->is_quiet && request->form == FORM_TEXT && request->shown.next != NULL)
        cli_say("next: %s", request->shown.next);
    if (request->shown.failed_gate != 0)
        return CLI_GATE;
    return request->has_failed ? CLI_FAILED : CLI_OK;
}

/* What was read. */
static int compare_summaries(struct request *request, const struct job *job)
{
    rf_compare *compare = NULL;
    struct rf_err err;
    if (job->has_folded) /* then all names are */
        request->of.fold_numbers = 1;
    if (rf_compare_new(&request->of, &compare, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    int status = add_inputs(job, compare);
    if (status == CLI_OK)
        status = answer(request, compare, &job->side[1]);
    rf_compare_free(compare);
    return status;
}

static int compare_sides(struct request *request, const struct cli_inputs side[2])
{
    const size_t n = side[0].n + side[1].n;
    struct job job = {request, side, calloc(n + 1, sizeof(*job.summary)), false, 0, 0};
    cli_sum_init(&request->sum, &request->filter, &request->rank_source);
    request->sum.is_quiet = true; /* what was left out is said of all */
    request->sum.options.fold_numbers = request->of.fold_numbers > 0;
    if (request->is_quiet)
        cli_waiting_quiet();
    if (job.summary == NULL)
        cli_say("out of memory");
    int status = job.summary != NULL ? read_inputs(&job) : CLI_FAILED;
    if (status == CLI_OK)
        status = compare_summaries(request, &job);
    for (size_t i = 0; job.summary != NULL && i < n; i++)
        rf_summary_free(job.summary[i]);
    free(job.summary);
    cli_sum_release(&request->sum);
    return status;
}

/* One file on both sides is a mistake. */
static int check_sides(const struct cli_inputs side[2], const struct cli_command *command)
{
    for (size_t i = 0; i < side[1].n; i++) {
        const struct cli_input *input = &side[1].input[i];
        uint32_t same = RF_MAP_NONE;
        if (input->inode != 0)
            same = rf_map_find(&side[0].of_file, input->device, input->inode);
        if (same != RF_MAP_NONE)
            return cli_usage_error(command, "'%s' is on both sides of --", input->path);
    }
    return CLI_OK;
}

/* ---- Both sides ---- */

/* Takes the options and operands of a side. Returns CLI_OK, or a status with which to end. */
static int take_side(struct request *request, struct cli_inputs *inputs, struct cli_parser *parser,
                     bool *is_over)
{
    int id, status = CLI_OK;
    while (status == CLI_OK && (id = cli_parser_next(parser)) > 0) {
        set_option(request, id, parser);
        status = parser->status;
    }
    *is_over = status != CLI_OK || id < 0;
    if (*is_over)
        return parser->status;
    if (parser->n_operands == 0)
        return cli_usage_error(parser->command, "FILE is missing %s --",
                               inputs->are_many ? "behind" : "before");
    return cli_inputs_list(inputs, parser);
}

/* Options may stand on both sides of --. */
static int compare_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {.sum.options = RF_SUMMARY_OPTIONS_INIT,
                              .of = RF_COMPARE_OPTIONS_INIT,
                              .shown.format = "column"};
    struct cli_inputs side[2] = {{.input = NULL}, {.input = NULL}};
    struct cli_parser parser;
    int at = 0, status = CLI_OK;
    bool is_over = false;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    cli_filter_init(&request.filter);
    for (int s = 0; s < 2 && status == CLI_OK && !is_over; s++) {
        if (s == 1 && at == argc) {
            status = cli_usage_error(command, "A... -- B...: '--' is missing");
            break;
        }
        cli_parser_init(&parser, command, s == 0 ? at : argc - at - 1,
                        s == 0 ? argv : argv + at + 1);
        side[s].are_many = s == 1;
        status = take_side(&request, &side[s], &parser, &is_over);
    }
    if (status == CLI_OK && !is_over)
        status = check_sides(side, command);
    if (status == CLI_OK && !is_over)
        status = compare_sides(&request, side);
    cli_inputs_release(&side[0]);
    cli_inputs_release(&side[1]);
    cli_rank_source_release(&request.rank_source);
    return status;
}

const struct cli_command cli_cmd_compare = {
    .name = "compare",
    .summary = "say whether a program became slower",
    .synopsis = "[options] A... -- B...",
    .operands = "RECORDING...",
    .description =
        "Compares runs of a program (A, before --) with later ones (B): which ranges, steps and\n"
        "kernels became slower, how sure that is, and which counts per step changed. A and B are\n"
        "recordings NAME.rf, session directories, what nsys exported or torch.profiler wrote,\n"
        "summaries, and folders of them. Each is a run: record five of each, in turn.",
    .options = options,
    .run = compare_run,
};
