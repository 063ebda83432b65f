/* SPDX-License-Identifier: Apache-2.0 */
/* The help that a verb's descriptor makes. */
#ifndef RF_CLI_COMMAND_HELP_H
#define RF_CLI_COMMAND_HELP_H

#include "cli/command.h"

/* Prints the help of a verb, as `rangefinder VERB -h` does. */
void cli_command_help(const struct cli_command *command);

/* Prints the help of one option. */
void cli_option_help(const struct cli_option *option);

#endif
