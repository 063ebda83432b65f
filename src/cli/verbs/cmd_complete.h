/* SPDX-License-Identifier: Apache-2.0 */
/* What can follow on a command line, for the completions of shells: cmd_complete.c. */
#ifndef RF_CLI_VERBS_CMD_COMPLETE_H
#define RF_CLI_VERBS_CMD_COMPLETE_H

#include "cli/command.h"

/* Prints what can stand in the place of the last of the words argv[1 .. argc) of a command. */
int cli_complete(const struct cli_command *command, int argc, char **argv);

#endif
