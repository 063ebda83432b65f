/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/split/split_options.h"

#include <string.h>

#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/option_parser.h"
#include "cli/profile/profile_option_table.h"
#include "cli/ring/amounts_option.h"
#include "cli/usage_error.h"

#define LEAST_SIZE  1048576.0
#define LEAST_QUOTA 16777216.0
#define MOST_SIZE   1125899906842624.0
#define LEAST_TIME  1e8
#define MOST_TIME   9e18
#define QUOTA_PARTS 8u /* a piece is this part of a quota, unless --split says otherwise */

/* One of the amounts of --split: a size or a time; both need their unit. */
static int parse_part(struct split_options *options, const struct cli_parser *parser,
                      const char *text, size_t size)
{
    const bool has_unit = size > 0 && (text[size - 1] < '0' || text[size - 1] > '9');
    double amount;
    if (has_unit && options->size == 0 && cli_parse_size(&amount, text, size) &&
        amount >= LEAST_SIZE && amount <= MOST_SIZE)
        options->size = (uint64_t)amount;
    else if (has_unit && options->time_ns == 0 && cli_parse_time(&amount, text, size) &&
             amount >= LEAST_TIME && amount <= MOST_TIME)
        options->time_ns = (int64_t)amount;
    else
        return cli_usage_error(parser->command,
                               "'--split=%s': give a size from 1M on, a time from 100ms on, or "
                               "both: 256M, 10min, 1G,1h",
                               parser->value);
    return CLI_OK;
}

static int parse_split(struct split_options *options, const struct cli_parser *parser)
{
    const char *comma = strchr(parser->value, ',');
    const size_t n = comma != NULL ? (size_t)(comma - parser->value) : strlen(parser->value);
    options->size = 0;
    options->time_ns = 0;
    int status = parse_part(options, parser, parser->value, n);
    if (status == CLI_OK && comma != NULL)
        status = parse_part(options, parser, comma + 1, strlen(comma + 1));
    return status;
}

static int parse_quota(struct split_options *options, const struct cli_parser *parser)
{
    double size;
    if (!cli_parse_size(&size, parser->value, strlen(parser->value)) || size < LEAST_QUOTA ||
        size > MOST_SIZE)
        return cli_usage_error(parser->command, "'--quota=%s': give a size from 16M on: 10G",
                               parser->value);
    options->quota = (uint64_t)size;
    return CLI_OK;
}

int split_option(struct split_options *options, const struct cli_parser *parser)
{
    if (parser->option->id == PROFILE_SPLIT)
        return parse_split(options, parser);
    return parser->option->id == PROFILE_QUOTA ? parse_quota(options, parser)
                                               : cli_set_number(&options->keep, "--keep", parser);
}

int split_check(struct split_options *options, const struct cli_command *command,
                const char *refused, bool has_exports)
{
    const bool is_split = options->size != 0 || options->time_ns != 0;
    const char *name = is_split ? "--split" : "--quota";
    if (options->keep != 0 && !is_split && options->quota == 0)
        return cli_usage_error(command, "'--keep' counts the files of --split: give that too");
    options->is_on = is_split || options->quota != 0;
    if (!options->is_on)
        return CLI_OK;
    if (refused != NULL)
        return cli_usage_error(command, "'%s' cannot be used with %s", name, refused);
    if (has_exports && (options->keep != 0 || options->quota != 0))
        return cli_usage_error(command, "'%s' cannot be used with --export: it removes files",
                               options->keep != 0 ? "--keep" : "--quota");
    if (options->quota != 0 && options->size > options->quota / 4)
        return cli_usage_error(command,
                               "'--quota' holds at least four files of --split: one that is "
                               "being recorded, one that is being written, and two");
    if (options->quota != 0 && options->size == 0)
        options->size = options->quota / QUOTA_PARTS;
    return CLI_OK;
}
