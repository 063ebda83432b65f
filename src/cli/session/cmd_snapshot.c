/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder snapshot: saves what the ring of a running session holds. */
#include <limits.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"
#include "cli/written.h"

enum { OPT_SESSION = 1, OPT_REASON, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_REASON, '\0', "reason", CLI_ARG_VALUE, "TEXT",
     "What the file says of why it was made. Default: asked for.", NULL},
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int snapshot_run(const struct cli_command *command, int argc, char **argv)
{
    const char *wanted = NULL, *reason = NULL;
    struct session_message request, answer;
    struct session_info session;
    struct cli_parser parser;
    char path[2 * PATH_MAX + 64];
    bool is_json = false;
    int id;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0)
        if (id == OPT_JSON)
            is_json = parser.is_true;
        else
            *(id == OPT_SESSION ? &wanted : &reason) = parser.value;
    if (id < 0)
        return parser.status;
    if (parser.n_operands > 1 || (parser.n_operands == 1 && wanted != NULL))
        return cli_usage_error(command, "'%s': only one session can be given",
                               argv[parser.n_operands - 1]);
    session_message_begin(&request, "snapshot");
    if (reason != NULL)
        session_message_add(&request, "reason", reason);
    int status =
        session_ask(parser.n_operands == 1 ? argv[0] : wanted, &request, &answer, &session, NULL);
    if (status != CLI_OK)
        return status;
    (void)session_message_get(&answer, "path", path, sizeof(path));
    const struct cli_written_file file = {path, "rf", false};
    if (is_json)
        return cli_written_print("snapshot", &file, 1, "stats", path);
    printf("%s\n", path);
    cli_say_next("stats", path);
    return CLI_OK;
}

const struct cli_command cli_cmd_snapshot = {
    .name = "snapshot",
    .summary = "save what a flight recorder holds",
    .synopsis = "[options] [SESSION]",
    .operands = "SESSION",
    .description = "Saves what the ring of a running 'rangefinder profile --ring' holds as "
                   "NAME.snapshotN.rf, and prints\nits path. The program runs on, and so does the "
                   "recording.",
    .epilog =
        "The exit status is 1 where there is no such session, it is no flight recorder or the "
        "file cannot be\nwritten, 2 for wrong usage.",
    .options = options,
    .run = snapshot_run,
};
