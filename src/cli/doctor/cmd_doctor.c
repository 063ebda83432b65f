/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder doctor: what works on this machine and what does not, and what to do about it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/option_parser.h"

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

void doctor_find(struct doctor_finding *finding, enum doctor_level level, const char *format, ...)
{
    va_list args;
    finding->level = level;
    va_start(args, format);
    (void)vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
}

void doctor_advise(struct doctor_finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(finding->help, sizeof(finding->help), format, args);
    va_end(args);
}

static int doctor_run(const struct cli_command *command, int argc, char **argv)
{
    static const char *const words[] = {"ok", "warn", "FAIL"};
    struct cli_parser parser;
    int n_failed = 0;
    cli_parser_init(&parser, command, argc, argv);
    if (cli_parser_next(&parser) < 0)
        return parser.status;
    for (const struct doctor_check *check = doctor_checks; check->name != NULL; check++) {
        struct doctor_finding finding;
        memset(&finding, 0, sizeof(finding));
        check->run(&finding);
        if (finding.text[0] == '\0')
            continue;
        printf("%-4s  %-14s %s\n", words[finding.level], check->name, finding.text);
        if (finding.help[0] != '\0')
            printf("%20s -> %s\n", "", finding.help);
        n_failed += finding.level == DOCTOR_FAIL;
    }
    return n_failed == 0 ? CLI_OK : CLI_FAILED;
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
