/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder summarize: what recordings add up to, in a small file. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/in_turn.h"
#include "cli/input_part.h"
#include "cli/input_rank.h"
#include "cli/input_sum.h"
#include "cli/inputs.h"
#include "cli/json_out.h"
#include "cli/number_option.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/progress_option.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/verbs/summary_json.h"
#include "cli/waiting.h"
#include "rangefinder/summary.h"

#define DEFAULT_MAX_KB 100 /* of each process */

enum {
    OPT_OUTPUT = 1,
    OPT_FORCE,
    OPT_MERGE,
    OPT_FOLD,
    OPT_MAX_PATHS,
    OPT_STEPS,
    OPT_STEP,
    OPT_MAX_STEPS,
    OPT_COLLECTIVE,
    OPT_MAX_COLLECTIVES,
    OPT_MAX_COUNTERS,
    OPT_CUT_RANGES,
    OPT_MAX_TALLIES,
    OPT_MAX_KB,
    OPT_RANK_FROM,
    OPT_JOBS,
    OPT_JSON,
    OPT_QUIET
};

static const struct cli_option options[] = {
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT.rfsum",
     "Default: of one FILE its name with .rfsum; of several it has to be given.", NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.", NULL},
    {OPT_MERGE, '\0', "merge", CLI_ARG_BOOL, NULL,
     "Add all inputs up to one; otherwise each stays apart.", NULL},
    {OPT_FOLD, '\0', "fold-numbers", CLI_ARG_BOOL, NULL,
     "Names of ranges that differ by numbers are one: op_17 and op_18 are op_#.", NULL},
    {OPT_MAX_PATHS, '\0', "max-paths", CLI_ARG_VALUE, "N",
     "Keep the N paths of names with most time of each recording; the others become one row per "
     "domain. Default: 1000.",
     NULL},
    {OPT_STEPS, '\0', "steps", CLI_ARG_BOOL, NULL,
     "Look for steps in long recordings too: they are opened with all events and samples.", NULL},
    {OPT_STEP, '\0', "step", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "The ranges of this name are the steps, and those whose names differ only by numbers. Implies "
     "--steps. Default: they are found.",
     NULL},
    {OPT_MAX_STEPS, '\0', "max-steps", CLI_ARG_VALUE, "N",
     "Keep the first N steps of each recording. Default: 10000.", NULL},
    {OPT_COLLECTIVE, '\0', "collective", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "The ranges of this name are collectives too. Those of NCCL and MPI are found.", NULL},
    {OPT_MAX_COLLECTIVES, '\0', "max-collectives", CLI_ARG_VALUE, "N",
     "Keep the first N collectives of each recording. Default: 10000.", NULL},
    {OPT_MAX_COUNTERS, '\0', "max-counters", CLI_ARG_VALUE, "N",
     "Keep the first N counters of each recording. Default: 10000.", NULL},
    {OPT_CUT_RANGES, '\0', "cut-ranges", CLI_ARG_VALUE, "count|leave-out",
     "Ranges whose end, or whose begin in a capture, was not recorded: they count, up to where "
     "they "
     "were cut, or are left out. Default: count.",
     NULL},
    {OPT_MAX_TALLIES, '\0', "max-tallies", CLI_ARG_VALUE, "N",
     "Of what reports show beside paths of names, such as the GPU work of ranges, keep the N rows "
     "with most time of each kind and recording; the others become one per domain. Default: 100.",
     NULL},
    {OPT_MAX_KB, '\0', "max-kb", CLI_ARG_VALUE, "N",
     "Of paths of names, and of these rows, keep no more of a recording than fits into about N "
     "kilobytes of a file for each of its processes; its collectives and counters come on top. 0: "
     "any. Default: 100, and any with --max-paths or --max-tallies.",
     NULL},
    CLI_RANK_FROM_OPTION(OPT_RANK_FROM),
    CLI_JOBS_OPTION(OPT_JOBS),
    JSON_OPTION(OPT_JSON),
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct request {
    const char *output; /* NULL: not said */
    bool can_overwrite, merges, is_json, is_quiet, has_failed;
    bool has_limit; /* it was said how much is kept */
    size_t n_jobs;
    struct cli_filter filter;
    struct cli_sum_request sum;
    struct cli_rank_source rank_source;
};

static void set_steps(struct request *request, int id, struct cli_parser *parser)
{
    if (id == OPT_STEPS)
        request->sum.needs_steps = request->sum.needs_samples = parser->is_true;
    else if (id == OPT_STEP)
        request->sum.options.step = parser->value;
    else
        parser->status = cli_set_number(&request->sum.options.max_steps, "--max-steps", parser);
}

static void set_max_kb(struct request *request, struct cli_parser *parser)
{
    if (strcmp(parser->value, "0") == 0)
        request->sum.options.max_kb = 0;
    else
        parser->status = cli_set_number(&request->sum.options.max_kb, "--max-kb", parser);
}

/* What says how a recording is summed up. */
static bool is_for_recordings(int id)
{
    return id == OPT_FOLD || id == OPT_MAX_PATHS || id == OPT_STEP || id == OPT_MAX_STEPS ||
           id == OPT_COLLECTIVE || id == OPT_MAX_COLLECTIVES || id == OPT_MAX_COUNTERS ||
           id == OPT_MAX_TALLIES || id == OPT_MAX_KB;
}

static void set_option(struct request *request, int id, struct cli_parser *parser)
{
    if (is_for_recordings(id) && (id != OPT_FOLD || parser->is_true))
        request->sum.recordings_only = parser->option->name;
    request->has_limit |= id == OPT_MAX_KB || id == OPT_MAX_PATHS || id == OPT_MAX_TALLIES;
    if (id == OPT_OUTPUT)
        request->output = parser->value;
    else if (id == OPT_FORCE)
        request->can_overwrite = parser->is_true;
    else if (id == OPT_MERGE)
        request->merges = parser->is_true;
    else if (id == OPT_FOLD)
        request->sum.options.fold_numbers = parser->is_true;
    else if (id == OPT_MAX_PATHS)
        parser->status = cli_set_number(&request->sum.options.max_paths, "--max-paths", parser);
    else if (id == OPT_STEPS || id == OPT_STEP || id == OPT_MAX_STEPS)
        set_steps(request, id, parser);
    else if (id == OPT_COLLECTIVE)
        request->sum.options.collective = parser->value;
    else if (id == OPT_MAX_COLLECTIVES)
        parser->status =
            cli_set_number(&request->sum.options.max_collectives, "--max-collectives", parser);
    else if (id == OPT_MAX_COUNTERS)
        parser->status =
            cli_set_number(&request->sum.options.max_counters, "--max-counters", parser);
    else if (id == OPT_CUT_RANGES)
        (void)cli_set_cut_ranges(&request->filter, NULL, parser);
    else if (id == OPT_MAX_TALLIES)
        parser->status = cli_set_number(&request->sum.options.max_tallies, "--max-tallies", parser);
    else if (id == OPT_MAX_KB)
        set_max_kb(request, parser);
    else if (id == OPT_RANK_FROM)
        parser->status = cli_rank_source_set(&request->rank_source, parser);
    else if (id == OPT_JOBS)
        parser->status = cli_set_jobs(&request->n_jobs, parser);
    else if (id == OPT_JSON)
        request->is_json = parser->is_true;
    else if (id == OPT_QUIET)
        request->is_quiet = parser->is_true;
    else
        (void)cli_filter_option(&request->filter, id, parser);
}

/* ---- Inputs ---- */

struct job {
    struct request *request;
    const struct cli_inputs *inputs;
    rf_summary *summary;    /* of all */
    size_t n_read, n_ranks; /* inputs that are there, and those with a rank */
};

/* Of one input. */
struct one {
    rf_summary *summary;
    int status;
    bool has_failed;
};

static void read_input(void *context, size_t input, void *item)
{
    const struct job *job = context;
    struct one *one = item;
    struct rf_err err;
    one->status = CLI_FAILED;
    if (rf_summary_new(&one->summary, &err) != RF_OK)
        cli_say("%s", err.text);
    else
        one->status = cli_sum_add(&job->request->sum, one->summary, job->inputs->input[input].path,
                                  input, &one->has_failed);
}

static int use_input(void *context, size_t input, void *item)
{
    struct job *job = context;
    const struct one *one = item;
    struct rf_err err;
    (void)input;
    job->request->has_failed |= one->has_failed;
    if (one->status != CLI_OK)
        return one->status;
    for (uint32_t i = 0; i < rf_summary_n_inputs(one->summary); i++) {
        job->n_read++;
        job->n_ranks += rf_summary_input_at(one->summary, i)->rank >= 0;
    }
    int status = rf_summary_append(job->summary, one->summary, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK || status == RF_ERR_EXISTS ? CLI_OK : CLI_FAILED;
}

static void release_one(void *context, void *item)
{
    const struct one *one = item;
    (void)context;
    rf_summary_free(one->summary);
}

static int add_inputs(struct request *request, const struct cli_inputs *inputs, rf_summary *summary)
{
    struct job job = {request, inputs, summary, 0, 0};
    const struct cli_in_turn work = {
        inputs->n, request->n_jobs, sizeof(struct one), &job, read_input, use_input, release_one,
    };
    const int status = cli_in_turn(&work);
    return status == CLI_OK ? cli_rank_source_check(&request->rank_source, job.n_ranks, job.n_read,
                                                    request->is_quiet)
                            : status;
}

/* ---- Output ---- */

/* Returns CLI_OK, or an exit status after a message. */
static int name_output(const struct request *request, const struct cli_inputs *inputs,
                       const struct cli_command *command, char *path, size_t size)
{
    if (request->output == NULL && inputs->are_many)
        return cli_usage_error(command, "name the summary of several inputs with -o OUT.rfsum");
    char base[PATH_MAX];
    if (request->output != NULL)
        (void)snprintf(base, sizeof(base), "%s", request->output);
    else
        cli_recording_base(base, sizeof(base), inputs->input[0].path);
    bool is_named = cli_has_suffix(base, ".rfsum");
    int n = snprintf(path, size, "%s%s", base, is_named ? "" : ".rfsum");
    if (n > 0 && (size_t)n < size && cli_output_names_file(base))
        return CLI_OK;
    return cli_usage_error(command, "-o: a summary is written to a file with a name");
}

static int fail_exists(const char *path)
{
    cli_say("'%s' exists already; use -f to overwrite it", path);
    return CLI_FAILED;
}

/* Before the inputs are read, which may take long. */
static int check_output(const struct request *request, const char *path)
{
    struct stat st;
    return !request->can_overwrite && lstat(path, &st) == 0 ? fail_exists(path) : CLI_OK;
}

static int write_summary(const struct request *request, rf_summary *summary, const char *path)
{
    struct rf_err err;
    int status = request->merges ? rf_summary_merge(summary, &err) : RF_OK;
    if (status == RF_OK)
        status = rf_summary_write(summary, path, request->can_overwrite, &err);
    if (status == RF_ERR_EXISTS)
        return fail_exists(path);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    if (!request->is_quiet && request->merges)
        cli_sum_say_programs(summary);
    if (!request->is_quiet)
        cli_say("wrote '%s': %u input%s", path, rf_summary_n_inputs(summary),
                rf_summary_n_inputs(summary) == 1 ? "" : "s");
    if (request->is_json && summary_print_json(path, summary) != CLI_OK)
        return CLI_FAILED;
    if (!request->is_quiet && !request->is_json)
        cli_say_next("stats", path);
    return request->has_failed ? CLI_FAILED : CLI_OK;
}

static int summarize(struct request *request, const struct cli_inputs *inputs,
                     const struct cli_command *command)
{
    char path[PATH_MAX + 16];
    struct rf_err err;
    rf_summary *summary = NULL;
    int status = name_output(request, inputs, command, path, sizeof(path));
    if (status == CLI_OK)
        status = check_output(request, path);
    if (status == CLI_OK && rf_summary_new(&summary, &err) != RF_OK) {
        cli_say("%s", err.text);
        status = CLI_FAILED;
    }
    if (status == CLI_OK)
        status = add_inputs(request, inputs, summary);
    if (status == CLI_OK && rf_summary_n_inputs(summary) == 0) {
        cli_say("there is nothing to sum up: '%s' is not written", path);
        status = !request->has_failed && request->filter.options.ranks != NULL
                     ? cli_say_no_rank(&request->filter)
                     : CLI_FAILED;
    }
    if (status == CLI_OK)
        status = write_summary(request, summary, path);
    rf_summary_free(summary);
    return status;
}

static int summarize_operands(struct request *request, const struct cli_parser *parser)
{
    struct cli_inputs inputs = {.input = NULL};
    cli_sum_init(&request->sum, &request->filter, &request->rank_source);
    request->sum.is_quiet = request->is_quiet;
    request->sum.needs_steps |= request->sum.options.step != NULL;
    if (!request->has_limit)
        request->sum.options.max_kb = DEFAULT_MAX_KB;
    if (request->is_quiet)
        cli_waiting_quiet();
    int status = cli_inputs_list(&inputs, parser);
    for (size_t i = 0; i < inputs.n && status == CLI_OK; i++)
        status = cli_sum_check(&request->sum, inputs.input[i].path);
    if (status == CLI_OK)
        status = summarize(request, &inputs, parser->command);
    cli_inputs_release(&inputs);
    cli_sum_release(&request->sum);
    return status;
}

static int summarize_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {.sum.options = RF_SUMMARY_OPTIONS_INIT};
    struct cli_parser parser;
    int id, status = CLI_OK;
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) > 0) {
        set_option(&request, id, &parser);
        status = parser.status;
    }
    status = status == CLI_OK && id == 0 ? summarize_operands(&request, &parser) : parser.status;
    cli_rank_source_release(&request.rank_source);
    return status;
}

const struct cli_command cli_cmd_summarize = {
    .name = "summarize",
    .summary = "write what recordings add up to, in a small file",
    .synopsis = "[options] FILE... [-o OUT.rfsum]",
    .operands = "RECORDING...",
    .description =
        "Sums up each recording FILE (NAME.rf, a session directory, what nsys exported or\n"
        "torch.profiler wrote, or a summary NAME.rfsum) or folder of them: count, sum, extremes "
        "and histogram of ranges by\n"
        "the names around them, of calls, GPU work and counters. 'rangefinder stats' reads the\n"
        "result.",
    .options = options,
    .run = summarize_run,
};
