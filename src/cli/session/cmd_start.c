/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder start: begins a capture in a running session. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/say.h"
#include "cli/seconds_option.h"
#include "cli/session/session_client.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"

enum {
    OPT_SESSION = 1,
    OPT_OUTPUT,
    OPT_FORCE,
    OPT_DURATION,
    OPT_ACCEPTED,
    OPT_IGNORED,
    OPT_REFUSED
};

#define ACCEPTED(letter, name, what)                                                               \
    {                                                                                              \
        OPT_ACCEPTED, letter, name, CLI_ARG_VALUE, NULL, NULL, what                                \
    }
#define IGNORED(name)                                                                              \
    {                                                                                              \
        OPT_IGNORED, '\0', name, CLI_ARG_VALUE, NULL, NULL, NULL                                   \
    }
#define REFUSED(letter, name, why)                                                                 \
    {                                                                                              \
        OPT_REFUSED, letter, name, CLI_ARG_VALUE, NULL, NULL, why                                  \
    }
#define AT_LAUNCH                                                                                  \
    "what begins a capture is settled when the program is started: give it to "                    \
    "'rangefinder launch' or 'rangefinder profile'"

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME",
     "Write this capture to NAME.rf, with %p, %h, %q{VAR}, %n and %% as in 'rangefinder profile'. "
     "Default: the session's own -o.",
     NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "With -o: overwrite existing files.",
     NULL},
    {OPT_DURATION, 'd', "duration", CLI_ARG_VALUE, "SECONDS", "End this capture after this time.",
     NULL},

    REFUSED('c', "capture-range", AT_LAUNCH),
    REFUSED('p', "nvtx-capture", AT_LAUNCH),
    REFUSED('\0', "capture-range-end", AT_LAUNCH),
    REFUSED('\0', "hotkey-capture", AT_LAUNCH),
    REFUSED('y', "delay", AT_LAUNCH),
    REFUSED('t', "trace", "what is recorded is settled when the program is started"),
    REFUSED(
        '\0', "session-new",
        "a session is made by 'rangefinder launch --session-new=NAME PROGRAM'; 'start' begins a "
        "capture in one that runs"),
    REFUSED('\0', "stop-on-exit", "recording ends with the program"),

    ACCEPTED('s', "sample", "CPU samples"),
    ACCEPTED('b', "backtrace", "backtraces"),
    ACCEPTED('\0', "cpuctxsw", "CPU context switches"),
    ACCEPTED('\0', "cpu-core-events", "CPU counters"),
    ACCEPTED('\0', "cpu-core-metrics", "CPU counters"),
    ACCEPTED('\0', "cpu-socket-events", "CPU counters"),
    ACCEPTED('\0', "cpu-socket-metrics", "CPU counters"),
    ACCEPTED('\0', "event-sample", "CPU counters"),
    ACCEPTED('\0', "os-events", "operating system events"),
    ACCEPTED('\0', "ftrace", "ftrace events"),
    ACCEPTED('\0', "gpu-metrics-device", "GPU metrics, which 'rangefinder launch' is asked for"),
    ACCEPTED('\0', "gpu-metrics-devices", "GPU metrics, which 'rangefinder launch' is asked for"),
    ACCEPTED('\0', "gpuctxsw", "GPU context switches"),
    ACCEPTED('\0', "ib-switch-metrics-device", "network metrics"),
    ACCEPTED('\0', "ib-switch-metrics-devices", "network metrics"),
    ACCEPTED('\0', "isr", "interrupts"),
    ACCEPTED('\0', "nic-metrics", "network metrics"),
    ACCEPTED('\0', "soc-metrics", "SoC metrics"),
    ACCEPTED('\0', "storage-metrics", "storage metrics"),
    ACCEPTED('\0', "vsync", "vsync events"),
    ACCEPTED('\0', "xhv-trace", "hypervisor events"),
    ACCEPTED('\0', "export", "an export, which 'rangefinder export' makes later"),
    ACCEPTED('\0', "stats", "statistics, which 'rangefinder stats' prints later"),

    IGNORED("el1-sampling"),
    IGNORED("el1-sampling-config"),
    IGNORED("event-sampling-frequency"),
    IGNORED("event-sampling-interval"),
    IGNORED("ftrace-keep-user-config"),
    IGNORED("gpu-metrics-frequency"),
    IGNORED("gpu-metrics-set"),
    IGNORED("process-scope"),
    IGNORED("sampling-frequency"),
    IGNORED("sampling-period"),
    IGNORED("sampling-trigger"),
    IGNORED("samples-per-backtrace"),
    IGNORED("soc-metrics-frequency"),
    IGNORED("soc-metrics-set"),
    IGNORED("storage-devices"),
    IGNORED("xhv-trace-events"),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct request {
    const char *session;
    const char *output;
    bool can_overwrite;
    int64_t duration_ns;
};

static bool is_off(const char *value)
{
    return strcmp(value, "none") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0 ||
           value[0] == '\0';
}

static int apply(struct request *request, const struct cli_parser *parser)
{
    const struct cli_option *option = parser->option;
    bool is_default = parser->value != NULL &&
                      (is_off(parser->value) || (strcmp(option->name, "stop-on-exit") == 0 &&
                                                 strcmp(parser->value, "true") == 0));
    switch (option->id) {
    case OPT_SESSION:
        request->session = parser->value;
        return CLI_OK;
    case OPT_OUTPUT:
        request->output = parser->value;
        return CLI_OK;
    case OPT_FORCE:
        request->can_overwrite = parser->is_true;
        return CLI_OK;
    case OPT_DURATION:
        return cli_parse_seconds(&request->duration_ns, parser);
    case OPT_ACCEPTED:
        if (!is_default)
            cli_say("not done by 'start': %s (--%s)", option->detail, option->name);
        return CLI_OK;
    case OPT_REFUSED:
        if (is_default)
            return CLI_OK;
        return cli_usage_error(parser->command, "'--%s': %s", option->name, option->detail);
    default:
        return CLI_OK;
    }
}

/* ---- The output's name ---- */

struct pattern {
    char *text;
    size_t size;
    size_t at;
};

/* Appends a part; a '%' of plain text is doubled. */
static void put(struct pattern *pattern, const char *part, size_t length, bool is_plain)
{
    for (size_t i = 0; i < length && pattern->at + 2 < pattern->size; i++) {
        pattern->text[pattern->at++] = part[i];
        if (is_plain && part[i] == '%')
            pattern->text[pattern->at++] = '%';
    }
    pattern->text[pattern->at] = '\0';
}

/* The session has another folder and other variables, so both are filled in here. output is a valid
 * pattern. */
static int make_pattern(char *text, size_t size, const char *output)
{
    char folder[PATH_MAX], value[PATH_MAX];
    struct pattern pattern = {text, size, 0};
    struct rf_err err;
    text[0] = '\0';
    if (output[0] != '/') {
        if (getcwd(folder, sizeof(folder)) == NULL) {
            cli_say("cannot determine the current directory: %s", strerror(errno));
            return CLI_FAILED;
        }
        put(&pattern, folder, strlen(folder), 1);
        put(&pattern, "/", 1, 1);
    }
    for (const char *p = output; *p != '\0';) {
        size_t length = p[0] != '%' ? strcspn(p, "%") : p[1] != 'q' ? 2 : strcspn(p, "}") + 1;
        char part[PATH_MAX];
        (void)snprintf(part, sizeof(part), "%.*s", (int)length, p);
        if (p[0] == '%' && p[1] == 'q') {
            if (cli_expand(value, sizeof(value), part, 0, "output name", &err) == RF_OK)
                put(&pattern, value, strlen(value), 1);
            else
                put(&pattern, part, length, 1);
        } else {
            put(&pattern, p, length, 0);
        }
        p += length;
    }
    if (pattern.at + 2 < size)
        return CLI_OK;
    cli_say("'%s': the path is too long", output);
    return CLI_FAILED;
}

/* ---- The verb ---- */

static int ask(const struct request *request)
{
    char pattern[PATH_MAX], text[1024];
    struct session_message message, answer;
    struct session_info session;
    session_message_begin(&message, "start");
    if (request->output != NULL) {
        if (make_pattern(pattern, sizeof(pattern), request->output) != CLI_OK)
            return CLI_FAILED;
        session_message_add(&message, "output", pattern);
        session_message_add_number(&message, "force", request->can_overwrite);
    }
    if (request->duration_ns > 0)
        session_message_add_number(&message, "duration_ns", request->duration_ns);
    int status = session_ask(request->session, &message, &answer, &session, NULL);
    if (status != CLI_OK)
        return status;
    (void)session_message_get(&answer, "state", text, sizeof(text));
    if (strcmp(text, SESSION_CAPTURING) == 0) {
        cli_say("session '%s': capture %lld has begun", session.name,
                (long long)session_message_number(&answer, "capture", 0));
        return CLI_OK;
    }
    (void)session_message_get(&answer, "text", text, sizeof(text));
    cli_say("session '%s': %s", session.name, text);
    return CLI_OK;
}

static int check(const struct request *request, const struct cli_parser *parser)
{
    char base[PATH_MAX];
    struct rf_err err;
    if (parser->n_operands > 0)
        return cli_usage_error(parser->command,
                               "'%s': 'start' starts no program; 'rangefinder launch %s' does",
                               parser->argv[0], parser->argv[0]);
    if (request->output == NULL && request->can_overwrite)
        return cli_usage_error(parser->command, "'--force-overwrite' needs -o");
    if (request->output != NULL &&
        cli_output_base(base, sizeof(base), request->output, 0, &err) != RF_OK)
        return cli_usage_error(parser->command, "%s", err.text);
    if (request->output != NULL)
        cli_output_warn(request->output);
    return CLI_OK;
}

static int start_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {0};
    struct cli_parser parser;
    int id = 0, status = CLI_OK;
    cli_parser_init(&parser, command, argc, argv);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        status = apply(&request, &parser);
    if (status != CLI_OK)
        return status;
    if (id < 0)
        return parser.status; /* after help or a message */
    status = check(&request, &parser);
    return status == CLI_OK ? ask(&request) : status;
}

const struct cli_command cli_cmd_start = {
    .name = "start",
    .summary = "begin a capture in a running session",
    .synopsis = "[options]",
    .description =
        "Begins a capture in a running session, of 'rangefinder launch' or 'profile', at once. A "
        "session of\n'profile --start-later' that has a trigger (-c) begins to look for it "
        "instead.",
    .epilog = "The exit status is 1 where there is no such session or no capture can begin, 2 for "
              "wrong usage.",
    .options = options,
    .run = start_run,
};
