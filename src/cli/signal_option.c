/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/signal_option.h"

#include <signal.h>
#include <stdlib.h>
#include <strings.h>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

/* The number of a signal by name (sigterm, TERM) or number; -1: there is none. */
static int signal_number(const char *text)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"hup", SIGHUP},   {"int", SIGINT},   {"quit", SIGQUIT}, {"abrt", SIGABRT},
                   {"kill", SIGKILL}, {"usr1", SIGUSR1}, {"usr2", SIGUSR2}, {"term", SIGTERM}};
    const char *name = strncasecmp(text, "sig", 3) == 0 ? text + 3 : text;
    char *end;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (strcasecmp(name, signals[i].name) == 0)
            return signals[i].number;
    long number = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    return number > 0 && number <= SIGRTMAX && *end == '\0' ? (int)number : -1;
}

int cli_parse_signal(int *number, const struct cli_parser *parser)
{
    *number = strcasecmp(parser->value, "none") == 0 ? 0 : signal_number(parser->value);
    if (*number >= 0)
        return CLI_OK;
    return cli_usage_error(parser->command,
                           "'--%s=%s' is not a signal; known: none, sigterm, sigkill, sigint, ..., "
                           "or a number from 1 to %d",
                           parser->option->name, parser->value, SIGRTMAX);
}
