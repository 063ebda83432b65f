/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder version. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/install.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"
#include "log/layout.h"
#include "rangefinder/rangefinder.h"

enum { OPT_JSON = 1 };

static const struct cli_option options[] = {
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int print_json(void)
{
    char self[PATH_MAX], format[32];
    struct json_out json;
    struct rf_err err;
    const bool is_found = cli_install_self(self, sizeof(self), &err) == RF_OK;
    if (json_start(&json, "version") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "product", "rangefinder");
    json_text(&json, "version", rf_version());
    json_text(&json, "path", is_found ? self : NULL);
    (void)snprintf(format, sizeof(format), "%d.%d", RF_FORMAT_MAJOR, RF_FORMAT_MINOR);
    json_text(&json, "recording_format", format);
    (void)snprintf(format, sizeof(format), "%d.%d", RF_FORMAT_COMPRESSED,
                   RF_FORMAT_COMPRESSED_MINOR);
    json_text(&json, "compressed_recording_format", format);
    return json_finish(&json);
}

static int version_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    bool is_json = false;
    int id;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0)
        is_json = parser.is_true;
    if (id < 0)
        return parser.status;
    if (parser.n_operands > 0)
        return cli_usage_error(command, "'%s' is one word too many", argv[0]);
    if (is_json)
        return print_json();
    printf("rangefinder %s\n", rf_version());
    return CLI_OK;
}

const struct cli_command cli_cmd_version = {
    .name = "version",
    .summary = "print the version (also --version)",
    .synopsis = "[options]",
    .description = "Prints the version.",
    .options = options,
    .run = version_run,
};
