/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder advise: what would make the program faster. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/each_recording.h"
#include "cli/filter_options.h"
#include "cli/inputs.h"
#include "cli/json_out.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/progress_option.h"
#include "cli/say.h"
#include "cli/verbs/advise_out.h"
#include "rangefinder/advise.h"

enum { OPT_JSON = 1 };

static const struct cli_option options[] = {
    JSON_OPTION(OPT_JSON),
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct request {
    struct cli_filter filter;
    bool is_json;
};

static int add(void *advice, const rf_recording *rec, const char *path, struct rf_err *err)
{
    return rf_advice_add(advice, rec, path, err);
}

/* To the first finding, or to a page of all there is. */
static void say_next(const rf_advice *advice, const char *filter, const char *path)
{
    struct rf_finding finding = RF_FINDING_INIT;
    if (rf_advice_finding_at(advice, 0, &finding) != RF_OK)
        cli_say_next("export -t html", path);
    else
        cli_say("next: %s%s%s", finding.command, filter[0] != '\0' ? " " : "", filter);
}

static int answer(const struct request *request, rf_advice *advice, const struct cli_each *each,
                  const char *path)
{
    size_t n = 0;
    struct rf_err err;
    char *filter = cli_filter_text(&request->filter, false);
    const struct advise_request of = {filter != NULL ? filter : "", each->n_added};
    int status = rf_advice_find(advice, &n, &err);
    if (status == RF_OK)
        status = (request->is_json ? advise_print_json : advise_print)(advice, &of, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    else if (!request->is_json)
        say_next(advice, of.filter, path);
    free(filter);
    return status == RF_OK && !each->has_failed ? CLI_OK : CLI_FAILED;
}

static int advise_of_inputs(const struct request *request, const struct cli_inputs *inputs)
{
    rf_advice *advice = NULL;
    struct rf_err err;
    if (rf_advice_new(&advice, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    struct cli_each each = {
        .filter = &request->filter, .lacks = "instances", .add = add, .context = advice};
    int status = cli_each_recording(&each, inputs);
    if (status == CLI_OK)
        status = each.n_added > 0 ? answer(request, advice, &each, inputs->input[0].path)
                                  : cli_each_say_none(&each);
    rf_advice_free(advice);
    return status;
}

static int advise_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {.is_json = false};
    struct cli_inputs inputs = {.input = NULL};
    struct cli_parser parser;
    int id = 0;
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    while (parser.status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        if (!cli_filter_option(&request.filter, id, &parser))
            request.is_json = parser.is_true;
    int status = id == 0 ? cli_inputs_list(&inputs, &parser) : parser.status;
    if (id == 0 && status == CLI_OK)
        status = advise_of_inputs(&request, &inputs);
    cli_inputs_release(&inputs);
    return status;
}

static void print_rules(void)
{
    const char *id, *meaning;
    printf("\nfindings:\n");
    for (size_t i = 0; (id = rf_advice_rule_at(i, &meaning)) != NULL; i++)
        printf("  %-22s  %s\n", id, meaning);
}

const struct cli_command cli_cmd_advise = {
    .name = "advise",
    .alias = "analyze",
    .summary = "say what would make the program faster",
    .synopsis = "[options] FILE...",
    .operands = "RECORDING...",
    .description =
        "Looks for slow instances of what repeats, for what keeps GPUs idle, for waits, and "
        "for what\nwas not recorded, over all recordings FILE (NAME.rf, a session "
        "directory, what nsys exported\nor torch.profiler wrote) and folders of them. Prints "
        "findings, those with most time to gain first,\neach with its evidence and the command "
        "that shows more; nothing where nothing is wrong.",
    .print_list = print_rules,
    .options = options,
    .run = advise_run,
};
