/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/ring_options.h"

#include <string.h>

#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/option_parser.h"
#include "cli/profile/profile_option_table.h"
#include "cli/ring/amounts_option.h"
#include "cli/usage_error.h"

#define LEAST_SIZE ((uint64_t)1 << 20)
#define MOST_SIZE  ((uint64_t)1 << 40)

void ring_options_init(struct ring_options *options)
{
    *options = (struct ring_options){.cool_down_ns = RING_COOL_DOWN_NS};
}

void ring_options_release(struct ring_options *options)
{
    rules_release(&options->rules);
}

static int parse_ring(struct ring_options *options, const struct cli_parser *parser)
{
    const char *comma = strchr(parser->value, ',');
    const size_t n = comma != NULL ? (size_t)(comma - parser->value) : strlen(parser->value);
    double size, time = 0;
    if (!cli_parse_size(&size, parser->value, n) ||
        (comma != NULL && !cli_parse_time(&time, comma + 1, strlen(comma + 1))))
        return cli_usage_error(parser->command,
                               "'--ring=%s': give a size, and a time if you like: 64M, 1G,30s",
                               parser->value);
    if (size < (double)LEAST_SIZE || size > (double)MOST_SIZE)
        return cli_usage_error(parser->command, "'--ring=%s': the size lies between 1M and 1024G",
                               parser->value);
    if (comma != NULL && (time < 1e6 || time > 9e18))
        return cli_usage_error(parser->command, "'--ring=%s': the time is at least 1ms",
                               parser->value);
    options->size = (uint64_t)size;
    options->keep_ns = (int64_t)time;
    return CLI_OK;
}

static int parse_time(int64_t *ns, const struct cli_parser *parser)
{
    double time;
    if (!cli_parse_time(&time, parser->value, strlen(parser->value)) || time > 9e18)
        return cli_usage_error(
            parser->command, "'--%s=%s': give a time, such as 2s; its units are " AMOUNT_TIME_UNITS,
            parser->option->name, parser->value);
    *ns = (int64_t)time;
    return CLI_OK;
}

static int parse_quota(struct ring_options *options, const struct cli_parser *parser)
{
    double size;
    if (!cli_parse_size(&size, parser->value, strlen(parser->value)) || size < 1 || size > 9e18)
        return cli_usage_error(parser->command, "'--snapshot-quota=%s': give a size, such as 10G",
                               parser->value);
    options->quota = (uint64_t)size;
    return CLI_OK;
}

static int parse_rule(struct ring_options *options, const struct cli_parser *parser)
{
    struct rf_err err;
    return rules_add(&options->rules, parser->value, &err) == RF_OK
               ? CLI_OK
               : cli_usage_error(parser->command, "%s", err.text);
}

int ring_option(struct ring_options *options, const struct cli_parser *parser)
{
    if (parser->option->id != PROFILE_RING)
        options->without = parser->option->name;
    switch ((enum profile_option)parser->option->id) {
    case PROFILE_RING:
        return parse_ring(options, parser);
    case PROFILE_SNAPSHOT_ON:
        return parse_rule(options, parser);
    case PROFILE_AFTER:
        return parse_time(&options->after_ns, parser);
    case PROFILE_COOL_DOWN:
        return parse_time(&options->cool_down_ns, parser);
    case PROFILE_SNAPSHOT_QUOTA:
        return parse_quota(options, parser);
    default:
        return cli_set_number(&options->max_snapshots, "--snapshots", parser);
    }
}

int ring_check(const struct ring_options *options, const struct cli_command *command,
               const char *refused)
{
    if (options->size == 0 && options->without != NULL)
        return cli_usage_error(command, "'--%s' is about snapshots of a ring: give --ring",
                               options->without);
    if (options->size != 0 && refused != NULL)
        return cli_usage_error(command, "'--ring' cannot be used with %s", refused);
    if (options->quota != 0 && options->quota < options->size)
        return cli_usage_error(command, "--snapshot-quota is less than one snapshot: it is at "
                                        "least the size of the ring");
    return CLI_OK;
}
