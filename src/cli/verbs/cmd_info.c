/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder info: what is in a recording. */
#include <stdbool.h>
#include <stdio.h>

#include "base/rank_variables.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_part.h"
#include "cli/inputs.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/progress_option.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/verbs/info_json.h"
#include "cli/verbs/info_summary.h"
#include "cli/verbs/info_text.h"
#include "cli/verbs/info_next.h"
#include "cli/verbs/job_json.h"
#include "cli/verbs/job_fates.h"
#include "cli/verbs/job_text.h"
#include "cli/verbs/summary_json.h"
#include "cli/waiting.h"
#include "rangefinder/summary.h"

enum { OPT_JSON = 1, OPT_JOB, OPT_VERIFY, OPT_QUIET };

static const struct cli_option options[] = {
    {OPT_JSON, '\0', "json", CLI_ARG_BOOL, NULL, "Print JSON: an object per FILE, each on a line.",
     NULL},
    {OPT_JOB, '\0', "job", CLI_ARG_BOOL, NULL,
     "Of FILEs that are ranks of a job show only the job: which ranks are missing, died or hang, "
     "and "
     "in which range. Without this it comes last.",
     NULL},
    {OPT_VERIFY, '\0', "verify", CLI_ARG_BOOL, NULL,
     "Check and count all bytes, also those of parts whose counts stand in the file.", NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* What is asked of rf_open(). */
#define FLAGS (RF_OPEN_NO_SAMPLES | RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS)

struct info_request {
    struct cli_filter filter;
    const char *next; /* the verb after this one, of the last recording; NULL: of a summary */
    bool is_json, is_job, verifies, is_quiet;
    struct job job;
    size_t n_shown;
};

/* What stands between two inputs. */
static void begin_input(struct info_request *request)
{
    if (request->n_shown++ > 0 && !request->is_json) {
        (void)putchar('\n');
        (void)fflush(stdout);
    }
}

static int info_of_summary(struct info_request *request, const char *path, size_t place)
{
    struct rf_err err;
    rf_summary *summary = NULL;
    const char *ranks = request->filter.options.ranks;
    int shown = CLI_OK;
    (void)place;
    if (cli_filter_is_within(&request->filter)) {
        cli_say("'%s' is a summary: no part of it can be selected", path);
        return CLI_USAGE;
    }
    int status = rf_summary_new(&summary, &err);
    if (status == RF_OK)
        status = rf_summary_read_ranks(summary, path, ranks, &err);
    if (status == RF_OK && (ranks == NULL || rf_summary_n_inputs(summary) > 0)) {
        begin_input(request);
        shown = request->is_json ? summary_print_json(path, summary) : CLI_OK;
        if (!request->is_json)
            status = info_print_summary(path, summary, &err);
    }
    if (status != RF_OK)
        cli_say("%s", err.text);
    rf_summary_free(summary);
    return status == RF_OK ? shown : CLI_FAILED;
}

static int print_part(struct info_request *request, const struct cli_part *part, const char *path)
{
    struct rf_err err;
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    struct cli_waiting waiting;
    int status = job_add(&request->job, part->whole, path, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    if (status != RF_OK)
        return CLI_FAILED;
    begin_input(request);
    cli_waiting_begin(&waiting, "counting the events of '%.80s'", path);
    (void)rf_work_counts_of(part->shown, &counts);
    cli_waiting_end(&waiting);
    status = request->is_json ? info_print_json(part->shown, &counts, &err)
                              : info_print(part->shown, &counts, &err);
    request->next = info_next_verb(part->shown, &counts);
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

static int info_of(struct info_request *request, const char *path, size_t place)
{
    static const struct cli_rank_source known;
    struct cli_part part;
    const struct cli_part_request of = {
        path,   place, FLAGS | (request->verifies ? RF_OPEN_VERIFY : 0), &request->filter,
        &known, NULL};
    int status = cli_input_part_open(&part, &of, NULL);
    if (status != CLI_OK || part.shown == NULL)
        return status;
    status = print_part(request, &part, path);
    cli_part_close(&part);
    return status;
}

/* With --job: of an input only what it says of its ranks. */
static int job_of(struct info_request *request, const char *path, size_t place)
{
    struct rf_err err;
    rf_recording *rec = NULL;
    (void)place;
    if (rf_is_summary(path)) {
        cli_say("'%s' is a summary, which does not say how ranks ended", path);
        return CLI_FAILED;
    }
    int status = rf_open(path, FLAGS | request->filter.open_flags, &rec, &err);
    if (status == RF_OK)
        status = job_add(&request->job, rec, path, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    rf_close(rec);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

/* Whether the inputs are to be shown as a job too: where there are several ranks. Of one FILE
 * programs get one object. */
static bool are_job(const struct info_request *request, const struct cli_inputs *inputs)
{
    return request->job.n > 0 && request->filter.options.ranks == NULL &&
           (request->is_job || inputs->n > 1 || (request->job.n > 1 && !request->is_json));
}

static int print_job(struct info_request *request)
{
    struct rf_err err;
    job_sort(&request->job);
    begin_input(request);
    const int status =
        request->is_json ? job_print_json(&request->job, &err) : job_print(&request->job, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

/* Those that cannot be read do not keep the others from being shown; a filter that is wrong does.
 */
static int info_of_inputs(struct info_request *request, const struct cli_inputs *inputs,
                          const struct cli_parser *parser)
{
    int status = CLI_OK;
    for (size_t i = 0; i < inputs->n && status != CLI_USAGE; i++) {
        const char *path = inputs->input[i].path;
        int shown = (request->is_job       ? job_of
                     : rf_is_summary(path) ? info_of_summary
                                           : info_of)(request, path, i);
        request->job.n_unread += shown != CLI_OK;
        status = shown != CLI_OK ? shown : status;
    }
    if (status != CLI_USAGE && are_job(request, inputs) && print_job(request) != CLI_OK)
        status = CLI_FAILED;
    if (request->is_job && request->n_shown == 0 && status == CLI_OK) {
        cli_say("no job: no input has a rank (" RF_RANK_VARIABLES ")");
        return CLI_FAILED;
    }
    if (status == CLI_OK && request->n_shown == 0)
        return cli_say_no_rank(&request->filter);
    if (status != CLI_OK || request->is_json || request->is_quiet)
        return status;
    if (inputs->n == 1)
        cli_say_next(request->next != NULL ? request->next : "stats", inputs->input[0].path);
    else
        cli_say_next_of(request->job.n > 1 ? "stats -r rank_summary" : "stats", parser->argv,
                        (size_t)parser->n_operands);
    return status;
}

static int info_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    struct cli_inputs inputs = {.input = NULL};
    struct info_request request = {.n_shown = 0};
    int id = 0;
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    while (parser.status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        if (!cli_filter_option(&request.filter, id, &parser))
            *(id == OPT_JSON    ? &request.is_json
              : id == OPT_JOB   ? &request.is_job
              : id == OPT_QUIET ? &request.is_quiet
                                : &request.verifies) = parser.is_true;
    if (id != 0)
        return parser.status;
    if (request.is_quiet)
        cli_waiting_quiet();
    if (request.is_job &&
        (cli_filter_is_within(&request.filter) || request.filter.options.ranks != NULL))
        return cli_usage_error(command, "--job shows the whole job: it takes no filters");
    int status = cli_inputs_list(&inputs, &parser);
    if (status == CLI_OK)
        status = info_of_inputs(&request, &inputs, &parser);
    job_release(&request.job);
    cli_inputs_release(&inputs);
    return status;
}

const struct cli_command cli_cmd_info = {
    .name = "info",
    .summary = "show what is in a recording",
    .synopsis = "[options] FILE...",
    .operands = "RECORDING...",
    .description =
        "Shows where and when the recording FILE (NAME.rf, a session directory, what nsys "
        "exported or\ntorch.profiler wrote) was made, and which processes, threads, "
        "domains and events are in it; what was\nlost, cut or damaged. A folder stands "
        "for the recordings in it.",
    .options = options,
    .run = info_run,
};
