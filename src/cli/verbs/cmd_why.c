/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder why: what slow instances of a range have that typical ones have not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/each_recording.h"
#include "cli/filter_options.h"
#include "cli/inputs.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/progress_option.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/verbs/why_json.h"
#include "cli/verbs/why_text.h"

enum { OPT_JSON = 1 };

static const struct cli_option options[] = {
    {OPT_JSON, '\0', "json", CLI_ARG_BOOL, NULL, "Print one JSON object, with all causes.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct request {
    struct cli_filter filter;
    bool is_json;
};

static int add(void *why, const rf_recording *rec, const char *path, struct rf_err *err)
{
    return rf_why_add(why, rec, path, err);
}

/* To the slowest instance in its trace; where none is slow, to other reasons. filter: as options.
 * NULL: none. */
static const char *find_next(char line[CLI_NEXT_SIZE], const rf_why *why, const char *filter,
                             const char *path)
{
    struct rf_why_instance slowest = RF_WHY_INSTANCE_INIT;
    if (rf_why_instance_at(why, 0, &slowest) != RF_OK)
        return cli_next_about(line, "advise", NULL, path) ? line : NULL;
    if (slowest.view[0] == '-' || !cli_next_about(line, "open --at", slowest.view, slowest.input))
        return NULL; /* it would be taken for an option */
    const size_t n = strlen(line);
    const int more =
        snprintf(line + n, CLI_NEXT_SIZE - n, "%s%s", filter[0] != '\0' ? " " : "", filter);
    return more >= 0 && (size_t)more < CLI_NEXT_SIZE - n ? line : NULL;
}

static int answer(const struct request *request, rf_why *why, const char *range,
                  const struct cli_each *each, const char *path)
{
    struct rf_err err;
    struct rf_why_verdict verdict = RF_WHY_VERDICT_INIT;
    char *filter = cli_filter_text(&request->filter, false);
    char next[CLI_NEXT_SIZE];
    struct why_request of = {range, filter != NULL ? filter : "", each->n_added, NULL};
    int status = rf_why_find(why, &verdict, &err);
    of.next = status == RF_OK ? find_next(next, why, of.filter, path) : NULL;
    if (status == RF_OK)
        status = (request->is_json ? why_print_json : why_print)(why, &verdict, &of, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    else if (!request->is_json && of.next != NULL)
        cli_say("next: %s", of.next);
    free(filter);
    return status == RF_OK && !each->has_failed ? CLI_OK : CLI_FAILED;
}

/* Recordings without the range are passed over, as long as one has it. */
static int why_of_inputs(const struct request *request, const struct cli_inputs *inputs,
                         const char *range)
{
    rf_why *why = NULL;
    struct rf_err err;
    if (rf_why_new(range, &why, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    struct cli_each each = {
        .filter = &request->filter, .lacks = "instances", .add = add, .context = why};
    int status = cli_each_recording(&each, inputs);
    if (status == CLI_OK)
        status = each.n_added > 0 ? answer(request, why, range, &each, inputs->input[0].path)
                                  : cli_each_say_none(&each);
    rf_why_free(why);
    return status;
}

/* The first operand is the range. */
static int why_of_operands(struct request *request, struct cli_parser *parser)
{
    struct cli_inputs inputs = {.input = NULL};
    if (parser->n_operands < 2)
        return cli_usage_error(parser->command, "%s is missing",
                               parser->n_operands == 0 ? "RANGE" : "FILE");
    const char *range = parser->argv[0];
    parser->argv++;
    parser->n_operands--;
    int status = cli_inputs_list(&inputs, parser);
    if (status == CLI_OK)
        status = why_of_inputs(request, &inputs, range);
    cli_inputs_release(&inputs);
    return status;
}

static int why_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {.is_json = false};
    struct cli_parser parser;
    int id = 0;
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    while (parser.status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        if (!cli_filter_option(&request.filter, id, &parser))
            request.is_json = parser.is_true;
    return id == 0 ? why_of_operands(&request, &parser) : parser.status;
}

const struct cli_command cli_cmd_why = {
    .name = "why",
    .summary = "say what made instances of a range slow",
    .synopsis = "[options] RANGE FILE...",
    .operands = "RANGE RECORDING...",
    .description =
        "Compares the slow instances of RANGE (MESSAGE[@DOMAIN]; names that differ only by\n"
        "numbers count too) with typical ones, over all recordings FILE (NAME.rf, a session\n"
        "directory, what nsys exported or torch.profiler wrote) and folders of them: which range,\n"
        "call or gap in them carries the excess, how sure that is, and which instances to look at.",
    .options = options,
    .run = why_run,
};
