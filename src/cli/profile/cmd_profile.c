/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder profile. */
#include <stddef.h>

#include "cli/command.h"
#include "cli/profile/profile_main.h"
#include "cli/profile/profile_option_table.h"

static int profile_run(const struct cli_command *command, int argc, char **argv)
{
    return profile_main(command, argc, argv, 0);
}

const struct cli_command cli_cmd_profile = {
    .name = "profile",
    .summary = "run a program and record it",
    .synopsis = "[options] PROGRAM [ARGUMENTS]",
    .description =
        "Runs PROGRAM, records the NVTX annotations and the CUDA work of it and of every process "
        "that\nit starts, and writes one file, NAME.rf. The options of 'nsys profile' work "
        "here; a message\nlists what nsys would record and this version does not.",
    .epilog = "The exit status is the program's own, or 128 + the number of the signal that ended "
              "it; 2: wrong\nusage; 3: the program returned 0, and the capture that was asked for "
              "never started; 125:\nrangefinder itself failed; 126, 127: the program cannot be "
              "executed, was not found.",
    .options = profile_option_table,
    .stops_at_operand = true,
    .run = profile_run,
};
