/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_request.h"

#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "cli/waiting.h"

unsigned stats_open_flags(const struct stats_request *request)
{
    unsigned flags = request->n_reports > 0 ? ~0u : 0;
    for (size_t i = 0; i < request->n_reports; i++)
        flags &= rf_report_open_flags(request->reports[i]);
    return request->group_by != NULL ? flags & ~(unsigned)RF_OPEN_SUMS : flags;
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

struct rf_report_options stats_report_options(const struct stats_request *request, size_t i,
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
        .group_by = request->group_by,
        .quantiles = request->quantiles,
        .fold_numbers = request->fold_numbers,
        .step = request->step,
        .collective = request->collective,
        .is_raw = request->is_raw,
        .width = is_stdout ? cli_output_width() : 0,
        .write = target->command != NULL ? stats_pipe_write : NULL,
        .write_context = pipe,
    };
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
