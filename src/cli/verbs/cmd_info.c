/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder info: what is in a recording. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/inputs.h"
#include "cli/option_parser.h"
#include "cli/say.h"
#include "cli/verbs/info_count.h"
#include "cli/verbs/info_json.h"
#include "cli/verbs/info_summary.h"
#include "cli/verbs/info_text.h"
#include "cli/waiting.h"
#include "rangefinder/summary.h"

enum { OPT_JSON = 1 };

static const struct cli_option options[] = {
    {OPT_JSON, '\0', "json", CLI_ARG_BOOL, NULL, "Print JSON: an object per FILE, each on a line.",
     NULL},
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int info_of_summary(const char *path, const struct cli_filter *filter, bool is_json)
{
    struct rf_err err;
    int status = RF_ERR_UNSUPPORTED;
    if (cli_filter_is_any(filter))
        cli_say("'%s' is a summary: no part of it can be selected", path);
    else if ((status = info_print_summary(path, is_json, &err)) != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

static int info_of(const char *path, const struct cli_filter *filter, bool is_json)
{
    struct rf_err err;
    struct info_counts counts;
    struct cli_part part;
    int status = cli_part_open(&part, path, RF_OPEN_NO_SAMPLES | RF_OPEN_COUNTS, filter);
    if (status != CLI_OK)
        return status;
    struct cli_waiting waiting;
    cli_waiting_begin(&waiting, "counting the events of '%.80s'", path);
    info_count(part.shown, &counts);
    cli_waiting_end(&waiting);
    status = is_json ? info_print_json(part.shown, &counts, &err)
                     : info_print(part.shown, &counts, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    cli_part_close(&part);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

/* Those that cannot be read do not keep the others from being shown; a filter that is wrong does.
 */
static int info_of_inputs(const struct cli_inputs *inputs, const struct cli_filter *filter,
                          bool is_json)
{
    int status = CLI_OK;
    for (size_t i = 0; i < inputs->n && status != CLI_USAGE; i++) {
        if (i > 0 && !is_json) {
            (void)putchar('\n');
            (void)fflush(stdout);
        }
        const char *path = inputs->input[i].path;
        int shown = (rf_is_summary(path) ? info_of_summary : info_of)(path, filter, is_json);
        status = shown != CLI_OK ? shown : status;
    }
    return status;
}

static int info_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    struct cli_inputs inputs = {.input = NULL};
    struct cli_filter filter;
    int id;
    bool is_json = false;
    cli_filter_init(&filter);
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0 && parser.status == CLI_OK)
        if (!cli_filter_option(&filter, id, &parser))
            is_json = parser.is_true;
    if (id != 0)
        return parser.status;
    int status = cli_inputs_list(&inputs, &parser);
    if (status == CLI_OK)
        status = info_of_inputs(&inputs, &filter, is_json);
    cli_inputs_release(&inputs);
    return status;
}

const struct cli_command cli_cmd_info = {
    .name = "info",
    .summary = "show what is in a recording",
    .synopsis = "[options] FILE...",
    .description = "Shows where and when the recording FILE (NAME.rf, or a session directory) was "
                   "made, and which\nprocesses, threads, domains and events are in it; what was "
                   "lost, cut or damaged. A folder\nstands for the recordings in it.",
    .options = options,
    .run = info_run,
};
