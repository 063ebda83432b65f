/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/option_parser.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/command_help.h"
#include "cli/progress_option.h"
#include "cli/usage_error.h"

void cli_parser_init(struct cli_parser *parser, const struct cli_command *command, int argc,
                     char **argv)
{
    memset(parser, 0, sizeof(*parser));
    parser->command = command;
    parser->argc = argc;
    parser->argv = argv;
}

static int fail(struct cli_parser *parser)
{
    parser->status = CLI_USAGE;
    return -1;
}

static const struct cli_option *find_long(const struct cli_command *command, const char *name,
                                          size_t length)
{
    for (const struct cli_option *option = command->options; option->id != 0; option++)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static const struct cli_option *find_letter(const struct cli_command *command, char letter)
{
    for (const struct cli_option *option = command->options; option->id != 0; option++)
        if (option->letter == letter)
            return option;
    return NULL;
}

#define MAX_OPTIONS 256

static int fail_unknown(struct cli_parser *parser, const char *word)
{
    char name[64];
    const char *names[MAX_OPTIONS];
    size_t n = 0;
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct cli_option *option = parser->command->options; option->id != 0; option++)
        if (n < MAX_OPTIONS)
            names[n++] = option->name;
    const char *near = word[1] == '-' ? rf_nearest_name(name, names, n) : NULL;
    if (near != NULL)
        (void)cli_usage_error(parser->command, "unknown option '--%s'; did you mean '--%s'?", name,
                              near);
    else
        (void)cli_usage_error(parser->command, "unknown option '%s'", word);
    return fail(parser);
}

/* 1, 0, or -1 where the word is neither. */
static int parse_bool(const char *word)
{
    if (strcmp(word, "true") == 0)
        return 1;
    return strcmp(word, "false") == 0 ? 0 : -1;
}

/* Whether a word is one of the command's options, and so cannot be the value of the one before it:
 * "-1" and "-" can. */
static bool is_option(const struct cli_command *command, const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    return word[1] == '-' ? word[2] != '\0' : find_letter(command, word[1]) != NULL;
}

static int fail_no_value(struct cli_parser *parser, const char *word, const char *next)
{
    const char *value = parser->option->value != NULL ? parser->option->value : "VALUE";
    if (next == NULL)
        (void)cli_usage_error(parser->command, "'%s' needs a value: %s", word, value);
    else
        (void)cli_usage_error(parser->command,
                              "'%s' needs a value: %s; '%s' is an option (a value that looks like "
                              "one is written --%s=%s)",
                              word, value, next, parser->option->name, next);
    return fail(parser);
}

/* Reads the value of an option: the one attached to it (may be NULL), or the next word. */
static int read_value(struct cli_parser *parser, const char *word, const char *attached)
{
    const struct cli_option *option = parser->option;
    if (option->arg == CLI_ARG_NONE && attached != NULL) {
        (void)cli_usage_error(parser->command, "'--%s' takes no value", option->name);
        return fail(parser);
    }
    const char *next = parser->next < parser->argc ? parser->argv[parser->next] : NULL;
    if (option->arg == CLI_ARG_BOOL) {
        int value = attached != NULL ? parse_bool(attached) : 1;
        if (value < 0) {
            (void)cli_usage_error(parser->command, "'%s': '--%s' is either true or false", word,
                                  option->name);
            return fail(parser);
        }
        if (attached == NULL && next != NULL && parse_bool(next) >= 0)
            value = parse_bool(parser->argv[parser->next++]);
        parser->is_true = value == 1;
    } else if (option->arg == CLI_ARG_MAYBE) {
        parser->value = attached;
    } else if (option->arg == CLI_ARG_VALUE) {
        if (attached == NULL && (next == NULL || is_option(parser->command, next)))
            return fail_no_value(parser, word, next);
        parser->value = attached != NULL ? attached : parser->argv[parser->next++];
    } else if (option->arg == CLI_ARG_OPTIONAL) {
        bool is_next = attached == NULL && next != NULL && !is_option(parser->command, next);
        parser->value = is_next ? parser->argv[parser->next++] : attached;
    }
    return option->id;
}

static bool is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 ||
           strncmp(word, "--help=", 7) == 0;
}

/* The next option, as cli_parser_next() has it, --progress too. */
static int next_option(struct cli_parser *parser)
{
    const char *word = NULL;
    for (;;) {
        if (parser->next >= parser->argc)
            return 0;
        word = parser->argv[parser->next];
        if (word[0] == '-' && word[1] != '\0')
            break;
        if (parser->command->stops_at_operand)
            return 0;
        parser->argv[parser->n_operands++] = parser->argv[parser->next++];
    }
    parser->next++;
    if (strcmp(word, "--") == 0) {
        while (!parser->command->stops_at_operand && parser->next < parser->argc)
            parser->argv[parser->n_operands++] = parser->argv[parser->next++];
        return 0;
    }
    if (is_help(word)) {
        cli_command_help(parser->command);
        parser->status = CLI_OK;
        return -1;
    }
    const char *attached = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        parser->option = find_long(parser->command, word + 2, length);
        attached = word[2 + length] == '=' ? word + 3 + length : NULL;
    } else {
        parser->option = find_letter(parser->command, word[1]);
        /* "-o=x" can only mean x */
        attached = word[2] == '=' ? word + 3 : word[2] != '\0' ? word + 2 : NULL;
    }
    if (parser->option == NULL)
        return fail_unknown(parser, word);
    return read_value(parser, word, attached);
}

int cli_parser_next(struct cli_parser *parser)
{
    int id;
    while ((id = next_option(parser)) == CLI_PROGRESS) {
        parser->status = cli_progress_set(parser);
        if (parser->status != CLI_OK)
            return -1;
    }
    return id;
}

const char *cli_parser_only_operand(const struct cli_parser *parser, const char *what)
{
    if (parser->n_operands == 1)
        return parser->argv[0];
    if (parser->n_operands == 0)
        (void)cli_usage_error(parser->command, "%s is missing", what);
    else
        (void)cli_usage_error(parser->command, "'%s': only one %s can be given", parser->argv[1],
                              what);
    return NULL;
}
