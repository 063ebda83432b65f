/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder status: the state of a running session. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/session/session_client.h"
#include "cli/session/session_json.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"

enum { OPT_SESSION = 1, OPT_ENVIRONMENT, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_ENVIRONMENT, 'e', "environment", CLI_ARG_NONE, NULL,
     "Check this machine instead, as 'rangefinder doctor' does.", NULL},
    {OPT_ENVIRONMENT, 'a', "all", CLI_ARG_NONE, NULL, NULL, NULL}, /* as with nsys */
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* answer: newer than what was found when the session was looked for */
static int print_json(struct session_info *session, const struct session_message *answer)
{
    struct json_out json;
    (void)session_message_get(answer, "state", session->state, sizeof(session->state));
    (void)session_message_get(answer, "text", session->text, sizeof(session->text));
    if (json_start(&json, "status") != CLI_OK)
        return CLI_FAILED;
    session_json_members(&json, session);
    return json_finish(&json);
}

static int say_status(const char *wanted, bool is_json)
{
    struct session_message request, answer;
    struct session_info session;
    char text[1024];
    session_message_begin(&request, "status");
    int status = session_ask(wanted, &request, &answer, &session, NULL);
    if (status != CLI_OK)
        return status;
    if (is_json)
        return print_json(&session, &answer);
    (void)session_message_get(&answer, "text", text, sizeof(text));
    printf("%s\n", text);
    return CLI_OK;
}

static int status_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    const char *wanted = NULL;
    bool checks_machine = false, is_json = false;
    int id;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_SESSION)
            wanted = parser.value;
        else if (id == OPT_JSON)
            is_json = parser.is_true;
        else
            checks_machine = true;
    }
    if (id < 0)
        return parser.status;
    if (parser.n_operands > 0)
        return cli_usage_error(command, "'%s': to name a session: --session=%s", argv[0], argv[0]);
    if (checks_machine)
        return doctor_run_checks(is_json);
    return say_status(wanted, is_json);
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
