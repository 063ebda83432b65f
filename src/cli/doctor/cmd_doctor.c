/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder doctor: what works on this machine and what does not, and what to do about it. */
#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

enum { OPT_JSON = 1 };

static const struct cli_option options[] = {
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int doctor_run(const struct cli_command *command, int argc, char **argv)
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
    return doctor_run_checks(is_json);
}

const struct cli_command cli_cmd_doctor = {
    .name = "doctor",
    .summary = "check what works on this machine",
    .synopsis = "[options]",
    .description =
        "Checks the installation, the machine, CUDA and the environment, records a small "
        "program and reads it\nback. A line per check: ok, warn or FAIL, and what to do.",
    .epilog = "The exit status is 1 where a check failed.",
    .options = options,
    .run = doctor_run,
};
