/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder doctor: what works on this machine and what does not, and what to do about it. */
#include <stddef.h>

#include "cli/command.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/option_parser.h"

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

static int doctor_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    cli_parser_init(&parser, command, argc, argv);
    if (cli_parser_next(&parser) < 0)
        return parser.status;
    return doctor_run_checks() == 0 ? CLI_OK : CLI_FAILED;
}

const struct cli_command cli_cmd_doctor = {
    .name = "doctor",
    .summary = "check what works on this machine",
    .synopsis = "",
    .description =
        "Checks the installation, the machine, CUDA and the environment, records a small "
        "program and reads it\nback. A line per check: ok, warn or FAIL, and what to do.",
    .epilog = "The exit status is 1 where a check failed.",
    .options = no_options,
    .run = doctor_run,
};
