/* SPDX-License-Identifier: Apache-2.0 */
/* Names and meanings are those of nsys, except that the program keeps running unless its end is
 * asked for. */
#include "cli/profile/focus_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/profile_options.h"
#include "cli/seconds_option.h"
#include "cli/signal_option.h"
#include "cli/terminal/hotkey.h"
#include "cli/usage_error.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_REPEATS 1000000UL

/* Prints that a word is unknown, and the nearest known one. */
static int fail_word(const struct cli_parser *parser, const char *const *known, size_t n)
{
    char list[256] = "";
    const char *near = rf_nearest_name(parser->value, known, n);
    for (size_t i = 0, at = 0; i < n && at < sizeof(list); i++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i > 0 ? ", " : "", known[i]);
    if (near != NULL)
        return cli_usage_error(parser->command, "'--%s=%s' is unknown; did you mean '%s'?",
                               parser->option->name, parser->value, near);
    return cli_usage_error(parser->command, "'--%s=%s' is unknown; known: %s", parser->option->name,
                           parser->value, list);
}

static int parse_range(struct focus_options *focus, const struct cli_parser *parser)
{
    static const char *const words[] = {"none", "nvtx", "cudaProfilerApi", "hotkey"};
    size_t i = 0;
    while (i < N_OF(words) && strcasecmp(parser->value, words[i]) != 0)
        i++;
    if (i == N_OF(words))
        return fail_word(parser, words, N_OF(words));
    focus->triggers = i == 1 ? RF_TRIGGER_NVTX : i == 2 ? RF_TRIGGER_PROFILER : 0;
    focus->has_key = i == 3;
    return CLI_OK;
}

static int parse_count(struct focus_options *focus, const struct cli_parser *parser,
                       const char *text)
{
    char *end;
    unsigned long n = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (n == 0 || n > MAX_REPEATS || *end != '\0')
        return cli_usage_error(parser->command,
                               "'--%s=%s': '%s' is not a number of captures (1 or more)",
                               parser->option->name, parser->value, text);
    focus->n_captures = (uint32_t)n;
    return CLI_OK;
}

static int parse_end(struct focus_options *focus, const struct cli_parser *parser)
{
    static const char *const words[] = {"none", "stop", "stop-shutdown", "repeat",
                                        "repeat-shutdown"};
    size_t length = strcspn(parser->value, ":"), i = 0;
    while (i < N_OF(words) &&
           (strlen(words[i]) != length || strncmp(parser->value, words[i], length) != 0))
        i++;
    bool has_count = parser->value[length] == ':';
    if (i == N_OF(words) || (has_count && i < 3))
        return fail_word(parser, words, N_OF(words));
    focus->has_end = true;
    focus->end = i == 0 ? FOCUS_END_NONE : i < 3 ? FOCUS_END_STOP : FOCUS_END_REPEAT;
    focus->shuts_down = i == 2 || i == 4;
    focus->n_captures = 0;
    if (has_count)
        return parse_count(focus, parser, parser->value + length + 1);
    if (i == 4)
        return cli_usage_error(parser->command,
                               "'--%s=repeat-shutdown' needs the number of captures: "
                               "repeat-shutdown:N",
                               parser->option->name);
    return CLI_OK;
}

/* Returns the position after the number, or NULL. */
static const char *parse_step(const char *text, uint64_t *step)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return NULL;
    *step = strtoull(text, &end, 10);
    return *step < INT32_MAX ? end : NULL;
}

/* "100-105", or one number. */
static int parse_steps(struct focus_options *focus, const struct cli_parser *parser)
{
    uint64_t first = 0, last;
    const char *at = parse_step(parser->value, &first);
    last = first;
    if (at != NULL && *at == '-')
        at = parse_step(at + 1, &last);
    if (at == NULL || *at != '\0' || first > last)
        return cli_usage_error(parser->command,
                               "'--%s=%s' is not FIRST-LAST, such as 100-105; the first range of "
                               "the name is 0",
                               parser->option->name, parser->value);
    focus->steps = parser->value;
    focus->first_step = (uint32_t)first;
    focus->n_steps = (uint32_t)(last - first) + 1;
    return CLI_OK;
}

int focus_option(struct focus_options *focus, const struct cli_parser *parser)
{
    switch ((enum profile_option)parser->option->id) {
    case PROFILE_CAPTURE_RANGE:
        return parse_range(focus, parser);
    case PROFILE_CAPTURE_END:
        return parse_end(focus, parser);
    case PROFILE_NVTX_CAPTURE:
        focus->message = parser->value;
        return CLI_OK;
    case PROFILE_UNREGISTERED:
        focus->takes_unregistered = parser->is_true;
        return CLI_OK;
    case PROFILE_KEEP_OPEN:
        focus->keeps_open = parser->is_true;
        return CLI_OK;
    case PROFILE_DELAY:
        return cli_parse_seconds(&focus->delay_ns, parser);
    case PROFILE_DURATION:
        return cli_parse_seconds(&focus->duration_ns, parser);
    case PROFILE_HOTKEY:
        focus->keys = parser->value;
        return CLI_OK;
    case PROFILE_CAPTURE_STEPS:
        return parse_steps(focus, parser);
    case PROFILE_KILL:
        return cli_parse_signal(&focus->kill_signal, parser);
    case PROFILE_START_LATER:
        focus->starts_by_hand = parser->is_true;
        return CLI_OK;
    default:
        return CLI_OK;
    }
}

/* ---- MESSAGE@DOMAIN ---- */

/* Copies up to the next '@' that is not escaped. Returns its position, or NULL where the name is
 * too long. */
static const char *copy_name(char *to, size_t size, const char *p, bool *is_escaped)
{
    size_t n = 0;
    *is_escaped = false;
    while (*p != '\0' && *p != '@') {
        if (*p == '\\' && (p[1] == '@' || p[1] == '\\' || p[1] == '*')) {
            *is_escaped = true;
            p++;
        }
        if (n + 1 >= size)
            return NULL;
        to[n++] = *p++;
    }
    to[n] = '\0';
    return p;
}

static int parse_message(struct rf_capture *capture, const char *text,
                         const struct cli_command *command)
{
    bool is_escaped;
    const char *p = copy_name(capture->message, sizeof(capture->message), text, &is_escaped);
    if (p != NULL && capture->message[0] == '\0')
        return cli_usage_error(command, "'-p %s' names no message: -p MESSAGE@DOMAIN", text);
    capture->domain_kind = RF_CAPTURE_DOMAIN_DEFAULT;
    if (p != NULL && *p == '@') {
        p = copy_name(capture->domain, sizeof(capture->domain), p + 1, &is_escaped);
        capture->domain_kind = strcmp(capture->domain, "*") == 0 && !is_escaped
                                   ? RF_CAPTURE_DOMAIN_ANY
                                   : RF_CAPTURE_DOMAIN_NAMED;
        if (p != NULL && capture->domain[0] == '\0')
            return cli_usage_error(command,
                                   "'-p %s' names no domain; '-p %s' is the default domain, "
                                   "'-p %s@*' any",
                                   text, capture->message, capture->message);
    }
    if (p == NULL)
        return cli_usage_error(command, "'-p': the name is longer than %u bytes",
                               (unsigned)sizeof(capture->message) - 1);
    if (*p == '@')
        return cli_usage_error(
            command, "'-p %s' has two '@'; write '\\@' for one that belongs to a name", text);
    return CLI_OK;
}

/* ---- All together ---- */

bool focus_is_on(const struct focus_options *focus)
{
    return focus->triggers != 0 || focus->has_key || focus->delay_ns > 0 ||
           focus->duration_ns > 0 || focus->starts_by_hand;
}

bool focus_makes_many(const struct profile_options *options)
{
    return options->config.is_focused && options->config.capture.max_windows != 1;
}

/* The steps say when the one capture begins. */
static int check_steps(const struct focus_options *focus, const struct cli_command *command)
{
    if (focus->triggers != RF_TRIGGER_NVTX)
        return cli_usage_error(command,
                               "'--capture-steps=%s' needs '-c nvtx -p MESSAGE@DOMAIN': the range "
                               "that is a step",
                               focus->steps);
    if (focus->delay_ns > 0 || focus->starts_by_hand)
        return cli_usage_error(command,
                               "'--capture-steps=%s' counts from the start of the program: "
                               "it takes neither --delay nor --start-later nor 'launch'",
                               focus->steps);
    if (focus->end == FOCUS_END_REPEAT)
        return cli_usage_error(command,
                               "'--capture-steps=%s' is one capture: it takes no "
                               "--capture-range-end=repeat",
                               focus->steps);
    return CLI_OK;
}

static bool can_repeat(const struct focus_options *focus)
{
    return focus->triggers != 0 || focus->has_key || focus->starts_by_hand;
}

static int check_fit(const struct profile_options *options, const struct cli_command *command)
{
    const struct focus_options *focus = &options->focus;
    bool is_nvtx = focus->triggers == RF_TRIGGER_NVTX;
    if (focus->message != NULL && !is_nvtx)
        return cli_usage_error(command, "'-p %s' needs '-c nvtx'; did you mean '-c nvtx -p %s'?",
                               focus->message, focus->message);
    if (is_nvtx && focus->message == NULL)
        return cli_usage_error(command,
                               "'-c nvtx' needs '-p MESSAGE@DOMAIN': the range that begins "
                               "a capture");
    if (focus->takes_unregistered && !is_nvtx)
        return cli_usage_error(command, "'--nvtx-capture-unregistered' needs '-c nvtx'");
    if (focus->keys != NULL && !focus->has_key)
        return cli_usage_error(command, "'--hotkey-capture=%s' needs '-c hotkey'", focus->keys);
    if (focus->has_key && (focus->delay_ns > 0 || focus->starts_by_hand))
        return cli_usage_error(command, "'-c hotkey' begins captures by a key: it takes neither "
                                        "--delay nor --start-later");
    if (focus->starts_by_hand && focus->delay_ns > 0)
        return cli_usage_error(command, "%s waits for 'rangefinder start': it takes no --delay",
                               focus->is_launch ? "'launch'" : "--start-later");
    if (focus->has_end && !focus_is_on(focus))
        return cli_usage_error(command, "'--capture-range-end' needs -c, -y, -d or --start-later: "
                                        "without them the whole run is recorded");
    if (focus->end == FOCUS_END_REPEAT && focus_is_on(focus) && !can_repeat(focus))
        return cli_usage_error(command, "'--capture-range-end=repeat' needs -c or --start-later: a "
                                        "delay or a duration is one capture");
    if (focus->steps != NULL && check_steps(focus, command) != CLI_OK)
        return CLI_USAGE;
    if (!options->records && focus_is_on(focus))
        return cli_usage_error(command, "with --trace=%s nothing can be captured",
                               options->trace.given);
    return CLI_OK;
}

static uint32_t max_windows(const struct focus_options *focus)
{
    if (focus->is_launch)
        return 0;
    return focus->end == FOCUS_END_REPEAT && can_repeat(focus) ? focus->n_captures : 1;
}

/* In a ring all is recorded, and a key that begins captures takes snapshots. */
static void give_key_to_ring(struct profile_options *options)
{
    struct focus_options rest = options->focus;
    rest.has_key = false;
    options->ring.has_key =
        options->ring.size != 0 && options->focus.has_key && !focus_is_on(&rest) && !rest.has_end;
    options->focus.has_key &= !options->ring.has_key;
}

int focus_check(struct profile_options *options, const struct cli_command *command)
{
    const struct focus_options *focus = &options->focus;
    struct rf_capture *capture = &options->config.capture;
    int status = check_fit(options, command);
    if (status == CLI_OK && focus->message != NULL)
        status = parse_message(capture, focus->message, command);
    struct rf_err err;
    if (status == CLI_OK &&
        hotkey_set_parse(&options->focus.key_set, options->focus.keys, &err) != RF_OK)
        status = cli_usage_error(command, "%s", err.text);
    give_key_to_ring(options);
    options->config.is_focused = focus_is_on(focus);
    capture->triggers = focus->triggers;
    capture->keeps_open = (uint32_t)focus->keeps_open;
    capture->takes_unregistered = (uint32_t)focus->takes_unregistered;
    capture->ends_with_trigger = focus->end != FOCUS_END_NONE;
    capture->first_step = focus->first_step;
    capture->n_steps = focus->n_steps;
    capture->max_windows = max_windows(focus);
    return status;
}
