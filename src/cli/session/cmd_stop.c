/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stop: ends the capture of a running session, and waits until it is saved. */
#include <limits.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/next.h"
#include "cli/say.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"
#include "cli/written.h"

static const struct cli_option options[] = {
    {SESSION_OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    JSON_OPTION(SESSION_OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int stop_run(const struct cli_command *command, int argc, char **argv)
{
    struct session_message answer;
    struct session_info session;
    char path[2 * PATH_MAX + 64];
    bool is_json = false;
    int status;
    if (session_ask_plainly(command, argc, argv, "stop", &answer, &session, &status, &is_json) != 0)
        return status;
    if (session_message_get(&answer, "path", path, sizeof(path)) && path[0] != '\0') {
        const struct cli_written_file file = {path, "rf", false};
        if (is_json)
            return cli_written_print("stop", &file, 1, "stats", path);
        printf("%s\n", path);
        cli_say_next("stats", path);
        return CLI_OK;
    }
    cli_say("session '%s': nothing was saved: the capture was discarded meanwhile", session.name);
    return CLI_FAILED;
}

const struct cli_command cli_cmd_stop = {
    .name = "stop",
    .summary = "end the capture of a running session",
    .synopsis = "[options]",
    .description =
        "Ends the capture that is on, waits until it is saved and prints the path of its "
        "file. The program\nruns on; the next 'rangefinder start' begins another "
        "capture.",
    .epilog = "The exit status is 1 where there is no such session, no capture is on or it could "
              "not be saved,\n2 for wrong usage.",
    .options = options,
    .run = stop_run,
};
