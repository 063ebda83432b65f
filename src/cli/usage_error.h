/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong usage of a verb. */
#ifndef RF_CLI_USAGE_ERROR_H
#define RF_CLI_USAGE_ERROR_H

#include "cli/command.h"

/* Says what is wrong with the usage and where the help is. Returns CLI_USAGE. */
int cli_usage_error(const struct cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
