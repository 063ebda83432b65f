/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program and records it. */
#ifndef RF_CLI_PROFILE_PROFILE_MAIN_H
#define RF_CLI_PROFILE_PROFILE_MAIN_H

#include <stdbool.h>

struct cli_command;

/* Runs `profile`, or with is_launch `launch`. Returns the exit status. */
int profile_main(const struct cli_command *command, int argc, char **argv, bool is_launch);

#endif
