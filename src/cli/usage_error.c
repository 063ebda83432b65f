/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage_error.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/say.h"

int cli_usage_error(const struct cli_command *command, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    cli_say("%s", text);
    cli_say("'rangefinder %s -h' explains the options", command->name);
    return CLI_USAGE;
}
