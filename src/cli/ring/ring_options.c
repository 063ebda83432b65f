/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/ring_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/option_parser.h"
#include "cli/profile/profile_option_table.h"
#include "cli/usage_error.h"

#define LEAST_SIZE ((uint64_t)1 << 20)
#define MOST_SIZE  ((uint64_t)1 << 40)

struct unit {
    const char *name;
    double factor;
};

/* A number and its unit, up to `end`. Returns false where it is none. */
static bool parse_amount(double *amount, const char *text, size_t size, const struct unit *units)
{
    char copy[32], *rest;
    if (size == 0 || size >= sizeof(copy) || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    errno = 0;
    *amount = strtod(copy, &rest);
    if (errno != 0 || strpbrk(copy, "xXpP") != NULL)
        return false;
    for (const struct unit *unit = units; unit->name != NULL; unit++)
        if (strcmp(rest, unit->name) == 0) {
            *amount *= unit->factor;
            return true;
        }
    return false;
}

static int parse_ring(struct ring_options *options, const struct cli_parser *parser)
{
    static const struct unit sizes[] = {
        {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}, {"", 1}, {NULL, 0}};
    static const struct unit times[] = {{"s", 1e9},    {"", 1e9},     {"ms", 1e6},
                                        {"min", 6e10}, {"h", 3.6e12}, {NULL, 0}};
    const char *comma = strchr(parser->value, ',');
    const size_t n = comma != NULL ? (size_t)(comma - parser->value) : strlen(parser->value);
    double size, time = 0;
    if (!parse_amount(&size, parser->value, n, sizes) ||
        (comma != NULL && !parse_amount(&time, comma + 1, strlen(comma + 1), times)))
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

int ring_option(struct ring_options *options, const struct cli_parser *parser)
{
    return parser->option->id == PROFILE_RING
               ? parse_ring(options, parser)
               : cli_set_number(&options->max_snapshots, "--snapshots", parser);
}

int ring_check(const struct ring_options *options, const struct cli_command *command,
               const char *refused)
{
    if (options->size == 0 && options->max_snapshots != 0)
        return cli_usage_error(command, "'--snapshots' counts snapshots of a ring: give --ring");
    if (options->size != 0 && refused != NULL)
        return cli_usage_error(command, "'--ring' cannot be used with %s", refused);
    return CLI_OK;
}
