/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder complete: what can follow on a command line, for the shells' own scripts in
 * completions/. Each line is a word, a tab and what it means; or what the shell is to complete by
 * itself: "@commands", the program to record, or "@files". Behind the tab of "@files" stand the
 * endings of the files that are meant, such as ".rf .sqlite"; none: all files are. */
#include "cli/verbs/cmd_complete.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/recording_file.h"
#include "cli/session/session_client.h"
#include "rangefinder/pm_sampling.h"
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

/* The first sentence of a text, or its first line. */
static int sentence_length(const char *text)
{
    if (text == NULL)
        return 0;
    const char *end = strstr(text, ". ");
    size_t n = strcspn(text, "\n");
    if (end != NULL && (size_t)(end - text) < n)
        return (int)(end - text);
    return (int)(n > 0 && text[n - 1] == '.' ? n - 1 : n);
}

/* A word in the place of the last one: before, of that, then name. */
static void put(const char *before, size_t n_before, const char *name, size_t size,
                const char *about)
{
    printf("%.*s%.*s\t%.*s\n", (int)n_before, before, (int)size, name, sentence_length(about),
           about != NULL ? about : "");
}

/* Completes the last element of a list, or the whole value. */
struct value {
    const char *word;  /* the last one of the command line */
    const char *list;  /* where the elements begin in it; NULL: it is no list */
    size_t n_before;   /* bytes of it that stay */
    const char *begun; /* what follows them */
};

static bool is_in_list(const struct value *value, const char *name, size_t size)
{
    const char *element = value->list;
    while (element != NULL && element < value->begun) {
        const size_t n = strcspn(element, ",");
        if (n == size && memcmp(element, name, n) == 0)
            return true;
        element += n + 1;
    }
    return false;
}

static void put_value(const struct value *value, const char *name, size_t size, const char *about)
{
    const size_t n = strlen(value->begun);
    if (n <= size && memcmp(name, value->begun, n) == 0 && !is_in_list(value, name, size))
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

static void put_exports(const struct value *value)
{
    put_names(value, rf_export_format_at);
}

static void put_forms(const struct value *value)
{
    put_names(value, form_at);
}

static void put_reports(const struct value *value)
{
    put_names(value, rf_report_at);
}

static void put_sets(const struct value *value)
{
    const struct rf_pm_set *set;
    for (size_t i = 0; (set = rf_pm_set_at(i)) != NULL; i++)
        put_value(value, set->name, strlen(set->name), set->title);
}

/* The chips that have a set; which others CUPTI knows is not asked: it takes long to load. */
static void put_chips(const struct value *value)
{
    const struct rf_pm_set *set;
    for (size_t i = 0; (set = rf_pm_set_at(i)) != NULL; i++)
        for (size_t chip = 0; set->chips[chip] != NULL; chip++)
            put_value(value, set->chips[chip], strlen(set->chips[chip]), set->title);
}

static void put_verbs(const struct value *value)
{
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (command->summary != NULL)
            put_value(value, command->name, strlen(command->name), command->summary);
}

static void put_recordings(const struct value *value)
{
    const char *ending;
    (void)value;
    for (size_t i = 0; (ending = cli_recording_ending(i)) != NULL; i++)
        printf("%s%s", i == 0 ? "@files\t" : " ", ending);
    putchar('\n');
}

static void put_files(const struct value *value)
{
    (void)value;
    puts("@files");
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

/* ---- Values of options, and operands ---- */

static void put_apis(const struct value *value)
{
    put_alternatives(value, "cuda|nvtx|none");
}

/* Those of --activity, and of nsys2json. */
static void put_activities(const struct value *value)
{
    put_alternatives(value, "nvtx|api|runtime|driver|osrt|gpu|kernel|memcpy|memset|graph|sync|"
                            "cuda-event|memory|gpu-metrics|overhead|library");
}

static void put_types(const struct value *value)
{
    put_alternatives(value, "kernel|nvtx|nvtx-kernel|cuda-api");
}

/* What stands for a value in a help text, up to a "," or "[", and who completes it. Another text
 * is taken for alternatives. */
static const struct kind {
    const char *name;
    void (*put)(const struct value *);
} kinds[] = {
    {"ACTIVITY", put_activities}, {"API", put_apis},         {"CHIP", put_chips},
    {"DIR", put_files},           {"FILE", put_files},       {"FILE.json", put_files},
    {"FORM", put_forms},          {"FORMAT", put_exports},   {"NAME", put_files},
    {"NAME|PID", put_sessions},   {"OUT", put_files},        {"OUT.rfsum", put_files},
    {"PATH", put_recordings},     {"RANGE", NULL},           {"RECORDING", put_recordings},
    {"REPORT", put_reports},      {"SESSION", put_sessions}, {"SET", put_sets},
    {"TYPE", put_types},          {"VERB", put_verbs},
};

/* Whether an option with this value takes any number of words: "TYPE...". */
static bool takes_words(const char *value)
{
    const size_t n = value != NULL ? strlen(value) : 0;
    return n > 3 && strcmp(value + n - 3, "...") == 0 && value[n - 4] != ',';
}

/* Completes a value that a help text calls `text`, of which `begun` is there in the last word. */
static void complete_named(const char *text, const char *word, const char *begun)
{
    const size_t n = strcspn(text, ",[ ") - (takes_words(text) ? 3 : 0);
    const char *comma = strchr(text, ',');
    /* "A,..." and "one,two" are lists; "SIZE[,TIME]" and "0,8-15" are not */
    const bool is_list = comma != NULL && (comma[1] == '.' || (comma[1] >= 'a' && comma[1] <= 'z'));
    const char *last = is_list ? strrchr(begun, ',') : NULL;
    struct value value = {.word = word, .begun = last != NULL ? last + 1 : begun};
    value.list = is_list ? begun : NULL;
    value.n_before = (size_t)(value.begun - word);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(text, kinds[i].name, n) != 0 || kinds[i].name[n] != '\0')
            continue;
        if (kinds[i].put != NULL)
            kinds[i].put(&value);
        return;
    }
    put_alternatives(&value, text);
}

static void complete_value(const struct words *words, const char *word)
{
    const struct cli_option *option = words->option;
    if (option->arg == CLI_ARG_BOOL && option->value == NULL)
        complete_named("true|false", word, words->value);
    else if (option->value != NULL && strcmp(option->name, "format") == 0)
        complete_named("FORM", word, words->value);
    else if (option->value != NULL && strcmp(option->name, "filename") == 0)
        complete_named("RECORDING", word, words->value);
    else if (option->value != NULL)
        complete_named(option->value, word, words->value);
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
        i += takes_next;
        while (takes_next && takes_words(option->value) && i < argc - 1 && argv[i + 1][0] != '-')
            i++;
        if (takes_next && i == argc - 1) {
            words->option = option;
            words->value = last;
            return;
        }
    }
    if (argc > 1)
        words->option = find_named(words->command, last, &words->value);
}

static void put_option(const char *word, const char *name, bool has_value, const char *about)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "--%s%s", name, has_value ? "=" : "");
    if (strncmp(text, word, strlen(word)) == 0)
        put("", 0, text, strlen(text), about);
}

static void complete_options(const struct cli_command *command, const char *word)
{
    for (const struct cli_option *option = command->options; option->id != 0; option++)
        if (option->help != NULL)
            put_option(word, option->name,
                       option->arg == CLI_ARG_VALUE && !takes_words(option->value), option->help);
    put_option(word, "help", false, "Print what there is");
}

/* The verb, or an option in its place. */
static void complete_first(const char *word)
{
    if (word[0] == '-') {
        put_option(word, "help", false, "List the verbs");
        put_option(word, "version", false, "Print the version");
    } else {
        complete_named("VERB", word, word);
    }
}

/* The n-th of the operands that the verb takes; the last one may be there any number of times. */
static void complete_operand(const struct words *words, const char *word)
{
    const char *text = words->command->operands;
    if (words->command->stops_at_operand) {
        puts("@commands");
        return;
    }
    for (int i = 0; text != NULL && i < words->n_operands; i++) {
        const char *space = strchr(text, ' ');
        if (space != NULL)
            text = space + 1;
        else if (strstr(text, "...") == NULL)
            text = NULL;
    }
    char name[64];
    if (text == NULL)
        return;
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " ."), text);
    complete_named(name, word, word);
}

/* argv[0] is the verb. */
static void complete_behind(struct words *words, int argc, char **argv)
{
    const char *word = argv[argc - 1];
    read_words(words, argc, argv);
    if (words->is_program)
        puts("@files");
    else if (words->option != NULL)
        complete_value(words, word);
    else if (word[0] == '-')
        complete_options(words->command, word);
    else
        complete_operand(words, word);
}

static int complete_run(const struct cli_command *command, int argc, char **argv)
{
    const int first = argc > 0 && strcmp(argv[0], "--") == 0;
    struct words words = {.command = NULL};
    (void)command;
    argc -= first;
    argv += first;
    if (argc <= 1) {
        complete_first(argc == 1 ? argv[0] : "");
        return CLI_OK;
    }
    words.command = cli_command_find(argv[0]);
    if (words.command == NULL)
        return CLI_OK;
    if (words.command->subcommand != NULL && argc > 2 &&
        strcmp(argv[1], words.command->operands) == 0) {
        words.command = words.command->subcommand;
        argc--;
        argv++;
    }
    complete_behind(&words, argc, argv);
    return CLI_OK;
}

int cli_complete(const struct cli_command *command, int argc, char **argv)
{
    struct words words = {.command = command};
    if (argc > 1)
        complete_behind(&words, argc, argv);
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
