/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder version. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "rangefinder/rangefinder.h"

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

static int version_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    cli_parser_init(&parser, command, argc, argv);
    if (cli_parser_next(&parser) < 0)
        return parser.status;
    printf("rangefinder %s\n", rf_version());
    return CLI_OK;
}

const struct cli_command cli_cmd_version = {
    .name = "version",
    .summary = "print the version (also --version)",
    .synopsis = "",
    .description = "Prints the version.",
    .options = no_options,
    .run = version_run,
};
