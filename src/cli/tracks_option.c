/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tracks_option.h"

#include <stdbool.h>
#include <string.h>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

int cli_parse_tracks(const struct cli_parser *parser, bool *by_category)
{
    *by_category = strcmp(parser->value, "category") == 0;
    if (*by_category || strcmp(parser->value, "domain") == 0)
        return CLI_OK;
    return cli_usage_error(parser->command, "--tracks takes domain or category, not '%s'",
                           parser->value);
}
