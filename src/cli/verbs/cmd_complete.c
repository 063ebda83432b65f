/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder complete: what can follow on a command line, for the shells' own scripts in
 * completions/. Each line is a word, a tab and what it means; or what the shell is to complete by
 * itself: "@files", or "@commands" for the program to record. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/session/session_client.h"
#include "rangefinder/rangefinder.h"

/* The words of a command line behind "rangefinder"; the last one is completed. */
struct words {
    const struct cli_command *command;
    const struct cli_option *option; /* whose value the last word is; NULL: it is none */
    const char *value;               /* of it, so far */
    int n_operands;                  /* before the last word */
    bool is_program;                 /* it belongs to the program that is recorded */
};

/* ---- What is printed ---- */

/* A word in the place of the last one: before, of that, then name. */
static void put(const char *before, size_t n_before, const char *name, size_t size,
                const char *about)
{
    printf("%.*s%.*s\t%.*s\n", (int)n_before, before, (int)size, name,
           about != NULL ? (int)strcspn(about, ".\n") : 0, about != NULL ? about : "");
}

/* Completes the last element of a list, or the whole value. */
struct value {
    const char *word;  /* the last one of the command line */
    size_t n_before;   /* bytes of it that stay */
    const char *begun; /* what follows them */
};

static void put_value(const struct value *value, const char *name, size_t size, const char *about)
{
    const size_t n = strlen(value->begun);
    if (n <= size && memcmp(name, value->begun, n) == 0)
        put(value->word, value->n_before, name, size, about);
}

static void put_names(const struct value *value, const char *(*at)(size_t, const char **))
{
    const char *name, *about;
    for (size_t i = 0; (name = at(i, &about)) != NULL; i++)
        put_value(value, name, strlen(name), about);
}

static const char *form_at(size_t i, const char **about)
{
    const char *usage;
    return rf_report_format_at(i, &usage, about);
}

static void put_sessions(const struct value *value)
{
    struct session_list list;
    if (session_list_read(&list) == RF_OK)
        for (size_t i = 0; i < list.n; i++)
            put_value(value, list.item[i].name, strlen(list.item[i].name), list.item[i].program);
    session_list_release(&list);
}

/* The words of "a|b|NUMBER" or "a,b" that stand for themselves. */
static void put_alternatives(const struct value *value, const char *text)
{
    while (*text != '\0') {
        const size_t size = strcspn(text, "|,");
        const size_t plain = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
        const bool is_camel = strncmp(text, "cudaProfilerApi", size) == 0;
        if (size > 0 && (plain == size || is_camel) && text[0] > '9')
            put_value(value, text, size, NULL);
        text += size;
        text += *text != '\0';
    }
}

/* ---- Values of options ---- */

static bool is_any(const char *value, const char *const *names)
{
    for (; *names != NULL; names++)
        if (value != NULL && strcmp(value, *names) == 0)
            return true;
    return false;
}

static void complete_value(const struct words *words, const char *word)
{
    static const char *const files[] = {"FILE", "DIR",       "OUT",       "OUT,...",
                                        "NAME", "OUT.rfsum", "FILE.json", NULL};
    const struct cli_option *option = words->option;
    const bool is_list = option->value != NULL && strstr(option->value, ",...") != NULL;
    const char *comma = is_list ? strrchr(words->value, ',') : NULL;
    struct value value = {.word = word, .begun = comma != NULL ? comma + 1 : words->value};
    value.n_before = (size_t)(value.begun - word);
    if (option->arg == CLI_ARG_BOOL && option->value == NULL)
        put_alternatives(&value, "true|false");
    else if (option->value == NULL)
        return;
    else if (strncmp(option->value, "REPORT", strlen("REPORT")) == 0)
        put_names(&value, rf_report_at);
    else if (strcmp(option->value, "NAME|PID") == 0)
        put_sessions(&value);
    else if (strcmp(option->value, "API,...") == 0)
        put_alternatives(&value, "cuda|nvtx|none");
    else if (strncmp(option->value, "FORMAT", strlen("FORMAT")) == 0 &&
             strcmp(option->name, "format") == 0)
        put_names(&value, form_at);
    else if (strncmp(option->value, "FORMAT", strlen("FORMAT")) == 0 ||
             strncmp(option->value, "TYPE", strlen("TYPE")) == 0)
        put_names(&value, rf_export_format_at);
    else if (is_any(option->value, files))
        puts("@files");
    else
        put_alternatives(&value, option->value);
}

/* ---- The command line so far ---- */

static const struct cli_option *find(const struct cli_command *command, const char *word)
{
    const size_t n = strlen(word);
    for (const struct cli_option *option = command->options; option->id != 0; option++)
        if ((n == 2 && word[1] == option->letter) ||
            (n > 2 && word[1] == '-' && strcmp(word + 2, option->name) == 0))
            return option;
    return NULL;
}

/* The option whose name a word --name=VALUE has, and its value. */
static const struct cli_option *find_named(const struct cli_command *command, const char *word,
                                           const char **value)
{
    char name[128];
    const char *equals = strchr(word, '=');
    if (equals == NULL || word[0] != '-' || (size_t)(equals - word) >= sizeof(name))
        return NULL;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(equals - word), word);
    *value = equals + 1;
    return find(command, name);
}

static void read_words(struct words *words, int argc, char **argv)
{
    const char *last = argv[argc - 1];
    for (int i = 1; i < argc - 1; i++) {
        const struct cli_option *option =
            argv[i][0] == '-' && argv[i][1] != '\0' ? find(words->command, argv[i]) : NULL;
        const bool takes_next = option != NULL && option->arg == CLI_ARG_VALUE;
        words->n_operands += argv[i][0] != '-' || argv[i][1] == '\0';
        if (words->n_operands > 0 && words->command->stops_at_operand) {
            words->is_program = true;
            return;
        }
        if (takes_next && i + 1 == argc - 1) {
            words->option = option;
            words->value = last;
            return;
        }
        i += takes_next;
    }
    if (argc > 1)
        words->option = find_named(words->command, last, &words->value);
}

static void complete_options(const struct cli_command *command, const char *word)
{
    const size_t n = strlen(word);
    char name[128];
    for (const struct cli_option *option = command->options; option->id != 0; option++) {
        const bool has_value = option->arg == CLI_ARG_VALUE;
        (void)snprintf(name, sizeof(name), "--%s%s", option->name, has_value ? "=" : "");
        if (option->help != NULL && strncmp(name, word, n) == 0)
            put("", 0, name, strlen(name), option->help);
    }
    if (strncmp("--help", word, n) == 0)
        put("", 0, "--help", strlen("--help"), "Print what there is");
}

static void complete_verbs(const char *word)
{
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (command->summary != NULL && strncmp(command->name, word, strlen(word)) == 0)
            put("", 0, command->name, strlen(command->name), command->summary);
}

/* Operands: sessions, verbs, a program, or mostly files. */
static void complete_operand(const struct words *words, const char *word)
{
    static const char *const of_sessions[] = {"stop", "cancel",   "status", "shutdown",
                                              "top",  "snapshot", NULL};
    const char *name = words->command->name;
    const struct value value = {.word = word, .begun = word};
    if (strcmp(name, "help") == 0)
        complete_verbs(word);
    else if (is_any(name, of_sessions))
        put_sessions(&value);
    else if (words->command->stops_at_operand)
        puts("@commands");
    else
        puts("@files");
}

static int complete_run(const struct cli_command *command, int argc, char **argv)
{
    const int first = argc > 0 && strcmp(argv[0], "--") == 0;
    struct words words = {.command = NULL};
    (void)command;
    argc -= first;
    argv += first;
    if (argc <= 1) {
        complete_verbs(argc == 1 ? argv[0] : "");
        return CLI_OK;
    }
    words.command = cli_command_find(argv[0]);
    if (words.command == NULL)
        return CLI_OK;
    const char *word = argv[argc - 1];
    read_words(&words, argc, argv);
    if (words.is_program)
        puts("@files");
    else if (words.option != NULL)
        complete_value(&words, word);
    else if (word[0] == '-')
        complete_options(words.command, word);
    else
        complete_operand(&words, word);
    return CLI_OK;
}

static const struct cli_option no_options[] = {{0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL}};

const struct cli_command cli_cmd_complete = {
    .name = "complete",
    .synopsis = "-- [WORD]...",
    .description = "Prints what can stand in the place of the last WORD of a command line, for the "
                   "completions of shells.",
    .options = no_options,
    .run = complete_run,
};
