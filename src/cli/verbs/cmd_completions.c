/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder completions: the shells' scripts of completions/, for who installed a wheel. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/completion_files.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

static int completions_run(const struct cli_command *command, int argc, char **argv)
{
    const struct {
        const char *shell, *text;
        size_t size;
    } files[] = {{"bash", rf_rangefinder_bash, rf_rangefinder_bash_size},
                 {"zsh", rf_rangefinder, rf_rangefinder_size},
                 {"fish", rf_rangefinder_fish, rf_rangefinder_fish_size}};
    struct cli_parser parser;
    cli_parser_init(&parser, command, argc, argv);
    if (cli_parser_next(&parser) < 0)
        return parser.status;
    const char *shell = cli_parser_only_operand(&parser, "SHELL");
    if (shell == NULL)
        return CLI_USAGE;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strcmp(shell, files[i].shell) == 0) {
            (void)fwrite(files[i].text, 1, files[i].size, stdout);
            return CLI_OK;
        }
    return cli_usage_error(command, "'%s' is none of bash, zsh, fish", shell);
}

const struct cli_command cli_cmd_completions = {
    .name = "completions",
    .summary = "print what completes command lines in a shell",
    .synopsis = "bash|zsh|fish",
    .operands = "bash|zsh|fish",
    .description = "Prints the script with which bash, zsh or fish completes verbs, options, their "
                   "values and files.\nIn ~/.bashrc: eval \"$(rangefinder completions bash)\"",
    .options = no_options,
    .run = completions_run,
};
