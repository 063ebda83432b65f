/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/seconds_option.h"

#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

#define MAX_SECONDS 1000000000LL

/* Digit by digit: a binary fraction would be inexact. */
int cli_parse_seconds(int64_t *ns, const struct cli_parser *parser)
{
    const char *p = parser->value;
    int64_t value = 0, unit = 1000000000;
    int n_digits = 0;
    for (; *p >= '0' && *p <= '9' && value <= MAX_SECONDS; p++, n_digits++)
        value = value * 10 + (*p - '0');
    value = value <= MAX_SECONDS ? value * unit : INT64_MAX - unit; /* refused below */
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++, n_digits++) {
            unit /= 10;
            value += unit * (*p - '0');
        }
    }
    if (*p != '\0' || n_digits == 0 || value > MAX_SECONDS * 1000000000)
        return cli_usage_error(parser->command, "'--%s=%s' is not a number of seconds",
                               parser->option->name, parser->value);
    *ns = value;
    return CLI_OK;
}
