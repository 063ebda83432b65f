/* SPDX-License-Identifier: Apache-2.0 */
/* The help that a verb's descriptor makes. */
#ifndef RF_CLI_COMMAND_HELP_H
#define RF_CLI_COMMAND_HELP_H

#include <stddef.h>

#include "cli/command.h"

/* Prints the help of a verb, as `rangefinder VERB -h` does. */
void cli_command_help(const struct cli_command *command);

/* Prints the help of one option. separator: what stands between its name and its value, otherwise
 * "=". */
void cli_option_help(const struct cli_option *option);
void cli_option_help_with(const struct cli_option *option, char separator);

/* Prints text from column `at`, wrapped, with further lines indented to `column`. A newline in the
 * text begins a line. */
void cli_print_wrapped(size_t at, size_t column, const char *text);

#endif
