/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/next.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/waiting.h"

const char *stats_default_report(const struct stats_request *request, const char *name,
                                 size_t place, const char *input)
{
    struct stats_target target;
    stats_settle(&request->outputs, place, name, input, &target);
    return rf_report_format_is_for_people(target.format) ? rf_report_for_people(name) : name;
}

/* Of the defaults the first alone is made of ranges where there is no GPU work, and where there is
 * some the flags of sums have no effect. */
static unsigned default_flags(const struct stats_request *request)
{
    const char *first = stats_default_report(request, rf_report_at(0, NULL), 0, NULL);
    return rf_report_open_flags(first) & (RF_OPEN_PATHS | RF_OPEN_NO_STEPS);
}

#define RANGE_WORK (RF_OPEN_RANGE_WORK | RF_OPEN_RANGE_WORK_BASE | RF_OPEN_RANGE_WORK_MANGLED)

unsigned stats_open_flags(const struct stats_request *request)
{
    unsigned flags = ~0u;
    if (request->is_default)
        return default_flags(request);
    for (size_t i = 0; i < request->n_reports; i++)
        flags &= rf_report_open_flags(request->reports[i]);
    if (request->by_process && (flags & RANGE_WORK) != 0)
        flags |= RF_OPEN_BY_PROCESS;
    if (request->fold_numbers > 0 && (flags & RANGE_WORK) != 0)
        flags |= RF_OPEN_FOLD_NUMBERS;
    return flags;
}

int stats_set_rows(struct stats_request *request, const struct cli_parser *parser)
{
    const char *value = parser->value;
    const bool is_number = strlen(value) <= 18 && strspn(value, "0123456789") == strlen(value);
    request->max_rows = is_number ? strtoull(value, NULL, 10) : UINT64_MAX;
    if (request->max_rows == 0 || (!is_number && strcmp(value, "all") != 0))
        return cli_usage_error(parser->command, "--rows: '%.60s' is no number from 1 on, nor 'all'",
                               value);
    return CLI_OK;
}

bool stats_add_report(struct stats_request *request, const char *name, size_t place)
{
    if (request->n_reports == STATS_MAX_REPORTS)
        return false;
    request->place[request->n_reports] = place;
    const char *known = rf_report_find(name);
    if (strchr(name, ':') != NULL) {
        known = request->words[request->n_reports];
        (void)snprintf(request->words[request->n_reports], sizeof(request->words[0]), "%s%s",
                       rf_report_find(name), strchr(name, ':'));
    }
    request->reports[request->n_reports++] = known;
    return true;
}

static uint64_t max_rows(const struct stats_request *request, const struct stats_target *target)
{
    if (request->max_rows > 0)
        return request->max_rows;
    bool is_seen = strcmp(target->path, "-") == 0 && cli_output_width() > 0 &&
                   rf_report_format_is_for_people(target->format);
    return is_seen ? CLI_TERMINAL_ROWS : 0;
}

struct rf_report_options stats_report_options(struct stats_request *request, size_t i,
                                              const struct stats_target *target,
                                              struct stats_pipe *pipe)
{
    const bool is_stdout = strcmp(target->path, "-") == 0;
    stats_pipe_init(pipe, target->command);
    return (struct rf_report_options){
        .size = sizeof(struct rf_report_options),
        .report = request->reports[i],
        .format = target->format,
        .output = target->command == NULL ? target->path : NULL,
        .can_overwrite = request->can_overwrite,
        .by_process = request->by_process,
        .group_by = request->filter.options.group_by,
        .quantiles = request->quantiles,
        .fold_numbers = request->fold_numbers,
        .max_rows = max_rows(request, target),
        .step = request->step,
        .collective = request->collective,
        .is_raw = request->is_raw,
        .width = is_stdout ? cli_output_width() : 0,
        .is_ascii = cli_is_ascii(),
        .write = target->command != NULL ? stats_pipe_write : NULL,
        .write_context = pipe,
        .n_rows = &request->n_rows,
        .is_approximate = &request->is_approximate,
        .marks_cut = request->marks_cut,
        .differing = request->differing,
        .differing_size = sizeof(request->differing),
    };
}

void stats_say_empty(const struct stats_request *request, const char *report, size_t n_rows)
{
    if (n_rows == 0 && !request->is_default && !request->is_quiet && !request->can_be_empty)
        cli_say("%s has no rows", report);
}

void stats_say_approximate(struct stats_request *request, const struct stats_target *target,
                           bool is_approximate)
{
    const char *format = target->format;
    const bool is_said =
        rf_report_format_is_for_people(format) && strncmp(format, "htable", 6) != 0;
    if (!is_approximate || is_said || request->is_quiet || request->has_said_approximate)
        return;
    request->has_said_approximate = true;
    cli_say("medians and quantiles come from a histogram, and are at most 0.4 %% off (of launches "
            "in summaries: 4 %%)");
}

/* The last table is not one for programs, nor are we to be quiet. */
static bool says_next(const struct stats_request *request, const char *input)
{
    struct stats_target target;
    if (request->is_quiet || request->n_reports == 0)
        return !request->is_quiet;
    stats_settle(&request->outputs, request->place[request->n_reports - 1],
                 request->reports[request->n_reports - 1], input, &target);
    return rf_report_format_is_for_people(target.format);
}

void stats_say_next(const struct stats_request *request, const char *input)
{
    if (!says_next(request, input))
        return;
    if (request->n_reports == 0)
        cli_say_next("info", input);
    else if (request->differing[0] != '\0')
        cli_say_next_about("why", request->differing, input);
    else if (request->is_default)
        cli_say_next("advise", input);
}

/* From what all do to who the others wait for, and from there into the recordings. */
void stats_say_next_of(const struct stats_request *request, char *const *operands, size_t n,
                       size_t n_ranks, bool has_summary)
{
    bool is_of_stragglers = false;
    for (size_t i = 0; i < request->n_reports; i++)
        is_of_stragglers |= strcmp(rf_report_find(request->reports[i]), "stragglers") == 0;
    if (!says_next(request, NULL))
        return;
    if (n_ranks > 1 && !is_of_stragglers)
        cli_say_next_of("stats -r stragglers", operands, n);
    else if (!has_summary)
        cli_say_next_of("advise", operands, n);
}

void stats_begin_table(const struct stats_target *target, bool is_first)
{
    if (is_first || strcmp(target->path, "-") != 0)
        return;
    (void)putchar('\n'); /* between tables, as nsys has it */
    (void)fflush(stdout);
}

int stats_end_table(const struct stats_request *request, const struct stats_target *target,
                    struct stats_pipe *pipe, int status, const struct rf_err *err)
{
    const bool is_file = target->command == NULL && strcmp(target->path, "-") != 0;
    if (stats_pipe_finish(pipe) != 0 && status == RF_OK)
        return RF_ERR_IO;
    if (status == RF_ERR_EXISTS) /* -f is the format here, as in nsys */
        cli_say("'%s' exists already; use --force-overwrite to overwrite it", target->path);
    else if (status != RF_OK)
        cli_say("%s", err->text);
    else if (is_file && !request->is_quiet)
        cli_say("wrote '%s'", target->path);
    return status;
}
