/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder sessions list: the running sessions. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/say.h"
#include "cli/session/session_client.h"
#include "cli/session/session_json.h"
#include "cli/text_out.h"
#include "cli/usage_error.h"

enum { OPT_HEADER = 1, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_HEADER, 'p', "show-header", CLI_ARG_BOOL, NULL,
     "Print the names of the columns. Default: true.", NULL},
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* mm:ss, or h:mm:ss where it takes hours. */
static const char *format_age(char *text, size_t size, long long ms)
{
    long long s = ms / 1000;
    if (s < 3600)
        (void)snprintf(text, size, "%02lld:%02lld", s / 60, s % 60);
    else
        (void)snprintf(text, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

/* The first five columns are those of nsys. A program's path may hold anything. */
static void print_table(struct rf_sink *sink, const struct session_list *list, bool has_header)
{
    char row[256], age[32];
    size_t widest = strlen("NAME");
    for (size_t i = 0; i < list->n; i++)
        if (strlen(list->item[i].name) > widest)
            widest = strlen(list->item[i].name);
    if (has_header) {
        (void)snprintf(row, sizeof(row), "%10s %10s %17s %6s %-*s %10s  PROGRAM\n", "ID", "TIME",
                       "STATE", "LAUNCH", (int)widest, "NAME", "PID");
        rf_sink_text(sink, row);
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct session_info *info = &list->item[i];
        (void)snprintf(row, sizeof(row), "%10d %10s %17s %6d %-*s %10d  ", (int)info->owner_pid,
                       format_age(age, sizeof(age), info->age_ms), info->state, !info->is_silent,
                       (int)widest, info->name, (int)info->program_pid);
        rf_sink_text(sink, row);
        rf_sink_printable(sink, info->program, strlen(info->program));
        rf_sink_char(sink, '\n');
    }
}

static int print_json(const struct session_list *list)
{
    struct json_out json;
    if (json_start(&json, "sessions") != CLI_OK)
        return CLI_FAILED;
    json_open_member(&json, "sessions", '[');
    for (size_t i = 0; i < list->n; i++) {
        json_open_element(&json, '{');
        session_json_members(&json, &list->item[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    return json_finish(&json);
}

static int print_text(const struct session_list *list, bool has_header)
{
    struct text_out out;
    struct rf_err err;
    int status = text_begin(&out, &err);
    if (status == RF_OK) {
        print_table(&out.sink, list, has_header);
        status = text_end(&out, &err);
    }
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

static int list_sessions(bool is_json, bool has_header)
{
    struct session_list list;
    int status = CLI_OK;
    if (session_list_read(&list) != RF_OK) {
        cli_say("out of memory");
        status = CLI_FAILED;
    } else if (is_json) {
        status = print_json(&list);
    } else if (list.n > 0) {
        status = print_text(&list, has_header);
    } else {
        session_list_say_none(&list);
    }
    session_list_release(&list);
    return status;
}

static int sessions_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    int id;
    bool is_json = false, has_header = true;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0)
        *(id == OPT_JSON ? &is_json : &has_header) = parser.is_true;
    if (id < 0)
        return parser.status;
    if (parser.n_operands != 1 || strcmp(argv[0], "list") != 0)
        return cli_usage_error(command, "'sessions' knows one thing to do: 'rangefinder sessions "
                                        "list'");
    return list_sessions(is_json, has_header);
}

const struct cli_command cli_cmd_sessions = {
    .name = "sessions",
    .summary = "list the sessions that run",
    .synopsis = "list [options]",
    .operands = "list",
    .description = "Lists your running sessions on this machine: the pid of rangefinder itself, "
                   "for how long it has run,\nits state, how many programs it started, the "
                   "session's name, the pid and the path of the program.",
    .epilog = "'--session' of the other verbs takes the name, and either pid.",
    .options = options,
    .run = sessions_run,
};
