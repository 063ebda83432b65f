/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder shutdown: ends a session and its program. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/signal_option.h"
#include "cli/say.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"

#define PATIENCE_MS 5000 /* after which the program seems to ignore its signal */

enum { OPT_SESSION = 1, OPT_KILL };

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_KILL, '\0', "kill", CLI_ARG_VALUE, "none|sigterm|sigkill|NUMBER",
     "The signal for the program. none: it runs on, and nothing more is captured. Default: "
     "sigterm.",
     NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* The command line ends after its program, and its end of the connection closes. */
static void wait_for_end(const struct session_info *session, int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    if (poll(&end, 1, PATIENCE_MS) == 0) {
        cli_say("the program of session '%s' has not ended yet; to kill it: rangefinder shutdown "
                "--session='%s' --kill=sigkill",
                session->name, session->name);
        (void)poll(&end, 1, -1);
    }
    cli_say("session '%s' has ended", session->name);
}

static int shut_down(const char *wanted, int number)
{
    struct session_message request, answer;
    struct session_info session;
    int fd;
    session_message_begin(&request, "shutdown");
    session_message_add_number(&request, "signal", number);
    int status = session_ask(wanted, &request, &answer, &session, &fd);
    if (status == CLI_OK && number != 0)
        wait_for_end(&session, fd);
    else if (status == CLI_OK)
        cli_say("session '%s' captures nothing more; its program runs on", session.name);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

static int shutdown_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    const char *wanted = NULL;
    int id, number = SIGTERM;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_SESSION)
            wanted = parser.value;
        else if (cli_parse_signal(&number, &parser) != CLI_OK)
            return CLI_USAGE;
    }
    if (id < 0)
        return parser.status;
    if (parser.n_operands > 0)
        return cli_usage_error(command, "'%s': to name a session: --session=%s", argv[0], argv[0]);
    return shut_down(wanted, number);
}

const struct cli_command cli_cmd_shutdown = {
    .name = "shutdown",
    .summary = "end a running session and its program",
    .synopsis = "[options]",
    .description = "Ends and saves the capture that is on, ends the program with all that it "
                   "started, and waits until\nthe session has ended.",
    .epilog = "The exit status is 1 where there is no such session, 2 for wrong usage.",
    .options = options,
    .run = shutdown_run,
};
