/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder status: the state of a running session. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/option_parser.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"

enum { OPT_SESSION = 1, OPT_ENVIRONMENT };

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_ENVIRONMENT, 'e', "environment", CLI_ARG_NONE, NULL,
     "Check this machine instead, as 'rangefinder doctor' does.", NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int say_status(const char *wanted)
{
    struct session_message request, answer;
    struct session_info session;
    char text[1024];
    session_message_begin(&request, "status");
    int status = session_ask(wanted, &request, &answer, &session, NULL);
    if (status != CLI_OK)
        return status;
    (void)session_message_get(&answer, "text", text, sizeof(text));
    printf("%s\n", text);
    return CLI_OK;
}

static int status_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    const char *wanted = NULL;
    int id, checks_machine = 0;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_SESSION)
            wanted = parser.value;
        else
            checks_machine = 1;
    }
    if (id < 0)
        return parser.status;
    if (parser.n_operands > 0)
        return cli_usage_error(command, "'%s': to name a session: --session=%s", argv[0], argv[0]);
    if (checks_machine)
        return doctor_run_checks() == 0 ? CLI_OK : CLI_FAILED;
    return say_status(wanted);
}

const struct cli_command cli_cmd_status = {
    .name = "status",
    .summary = "say what a running session does",
    .synopsis = "[options]",
    .description = "Prints one line: what the session waits for, since when it captures, that it "
                   "saves a capture, or that\nthere will be no more captures.",
    .epilog = "The exit status is 1 where there is no such session, 2 for wrong usage.",
    .options = options,
    .run = status_run,
};
