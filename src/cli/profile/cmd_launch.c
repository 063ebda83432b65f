/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder launch: profile that records only between `start` and `stop`. */
#include <stddef.h>

#include "cli/command.h"
#include "cli/profile/profile_main.h"
#include "cli/profile/profile_option_table.h"

static int launch_run(const struct cli_command *command, int argc, char **argv)
{
    return profile_main(command, argc, argv, 1);
}

const struct cli_command cli_cmd_launch = {
    .name = "launch",
    .summary = "run a program that 'start' and 'stop' record parts of",
    .synopsis = "[options] PROGRAM [ARGUMENTS]",
    .description =
        "Runs PROGRAM as 'rangefinder profile' does, and records nothing until 'rangefinder start' "
        "is\ntyped in another terminal. Each start begins a capture, each stop ends and saves it; "
        "there may\nbe any number of them: report1.rf, report2.rf, ...",
    .epilog = "The exit status is that of 'rangefinder profile'.",
    .options = profile_option_table,
    .stops_at_operand = true,
    .run = launch_run,
};
