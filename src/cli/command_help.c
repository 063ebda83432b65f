/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

#define HELP_COLUMN 34
#define HELP_WIDTH  100

void cli_print_wrapped(size_t at, size_t column, const char *text)
{
    while (*text != '\0') {
        if (at < column)
            printf("%*s", (int)(column - at), "");
        size_t room = HELP_WIDTH - column;
        size_t length = strcspn(text, "\n");
        if (length > room) {
            length = room;
            while (length > 0 && text[length] != ' ')
                length--;
        }
        printf("%.*s\n", (int)length, text);
        text += length;
        if (*text == '\n' || *text == ' ')
            text++;
        at = 0;
    }
}

void cli_option_help(const struct cli_option *option)
{
    cli_option_help_with(option, '=');
}

void cli_option_help_with(const struct cli_option *option, char separator)
{
    char left[160];
    const char *value = option->value != NULL ? option->value : "true|false";
    bool may_lack = option->arg == CLI_ARG_BOOL || option->arg == CLI_ARG_MAYBE ||
                    option->arg == CLI_ARG_OPTIONAL;
    const char before[] = {may_lack ? '[' : separator, may_lack ? separator : '\0', '\0'};
    const char *after = may_lack ? "]" : "";
    const bool has_value = option->arg != CLI_ARG_NONE;
    int n = option->letter != '\0'
                ? snprintf(left, sizeof(left), "  -%c, --%s", option->letter, option->name)
                : snprintf(left, sizeof(left), "      --%s", option->name);
    if (has_value)
        n += snprintf(left + n, sizeof(left) - (size_t)n, "%s%s%s", before, value, after);
    fputs(left, stdout);
    if (n + 2 > HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    cli_print_wrapped((size_t)n, HELP_COLUMN, option->help);
}

static void print_usage(const struct cli_command *command)
{
    const char *before = "usage:";
    for (const char *at = command->synopsis;;) {
        const size_t n = strcspn(at, "\n");
        printf("%s rangefinder %s %.*s\n", before, command->name, (int)n, at);
        before = "      ";
        if (at[n] == '\0')
            return;
        at += n + 1;
    }
}

void cli_command_help(const struct cli_command *command)
{
    print_usage(command);
    printf("\n%s\n\noptions:\n", command->description);
    for (const struct cli_option *option = command->options; option->id != 0; option++)
        if (option->help != NULL)
            cli_option_help(option);
    static const struct cli_option help = {1, 'h', "help", CLI_ARG_NONE, NULL, "Print this.", NULL};
    cli_option_help(&help);
    if (command->print_list != NULL)
        command->print_list();
    if (command->epilog != NULL)
        printf("\n%s\n", command->epilog);
}
