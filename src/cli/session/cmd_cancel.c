/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder cancel: ends the capture of a running session and discards it. */
#include "cli/command.h"
#include "cli/say.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"

static const struct cli_option options[] = {
    {SESSION_OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int cancel_run(const struct cli_command *command, int argc, char **argv)
{
    struct session_message answer;
    struct session_info session;
    int status;
    if (session_ask_plainly(command, argc, argv, "cancel", &answer, &session, &status, NULL) != 0)
        return status;
    cli_say("session '%s': capture %lld is discarded", session.name,
            (long long)session_message_number(&answer, "capture", 0));
    return CLI_OK;
}

const struct cli_command cli_cmd_cancel = {
    .name = "cancel",
    .summary = "discard the capture of a running session",
    .synopsis = "[options]",
    .description = "Ends the current capture and discards what it recorded. The program runs on.",
    .epilog = "The exit status is 1 where there is no such session or no capture is on, 2 for "
              "wrong usage.",
    .options = options,
    .run = cancel_run,
};
