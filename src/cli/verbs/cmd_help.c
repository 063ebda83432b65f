/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder help: the verbs, or the help of one. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/command_help.h"
#include "cli/command_table.h"
#include "cli/option_parser.h"

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

static void list_verbs(void)
{
    const struct cli_command *command;
    printf("usage: rangefinder VERB [options] ...\n\n"
           "Records NVTX-annotated programs and shows what they did.\n\nverbs:\n");
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (command->summary != NULL)
            printf("  %-11s %s\n", command->name, command->summary);
    printf("\n'rangefinder VERB -h' explains a verb.\n\n"
           "  rangefinder profile -o run ./program    records it: run.rf\n"
           "  rangefinder stats run.rf                which ranges took how long\n"
           "  rangefinder export -t sqlite run.rf     run.sqlite, in the schema of nsys\n");
}

static int help_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    cli_parser_init(&parser, command, argc, argv);
    if (cli_parser_next(&parser) < 0)
        return parser.status;
    if (parser.n_operands == 0) {
        list_verbs();
        return CLI_OK;
    }
    const struct cli_command *asked = cli_command_find(argv[0]);
    if (asked == NULL) {
        cli_command_unknown(argv[0]);
        return CLI_USAGE;
    }
    cli_command_help(asked);
    return CLI_OK;
}

const struct cli_command cli_cmd_help = {
    .name = "help",
    .summary = "list the verbs, or explain one",
    .synopsis = "[VERB]",
    .operands = "VERB",
    .description = "Lists the verbs, or prints what 'rangefinder VERB -h' prints.",
    .options = no_options,
    .run = help_run,
};
