/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/number_option.h"

#include <limits.h>
#include <stdlib.h>

#include "cli/usage_error.h"

int cli_set_number(uint32_t *number, const char *option, const struct cli_parser *parser)
{
    char *end = NULL;
    unsigned long n = strtoul(parser->value, &end, 10);
    if (parser->value[0] < '0' || parser->value[0] > '9' || *end != '\0' || n == 0 || n > UINT_MAX)
        return cli_usage_error(parser->command, "%s: '%s' is no number from 1 to %u", option,
                               parser->value, UINT_MAX);
    *number = (uint32_t)n;
    return CLI_OK;
}
