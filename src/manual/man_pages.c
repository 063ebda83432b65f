/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the man pages of docs/man as they are installed: what the tables of verbs and options hold
 * is put in here, so that it stands nowhere twice. A page has these lines, which roff takes for
 * comments:
 *
 *   .\" name                  the verb and its summary, for NAME
 *   .\" synopsis              the lines of its usage
 *   .\" verbs                 the verbs, each with its summary
 *   .\" options [SUBCOMMAND]  each option with its help, up to
 *   .\" end options           this; in between
 *   .\" about OPTION          what follows is put behind the help of the option
 *
 * What is said of an option by several verbs stands in COMMON, in the last two kinds of lines; a
 * page may say something else, or nothing. An option that the table does not have is an error.
 *
 * usage: man_pages FOLDER COMMON PAGE... */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/verbs/nsys2json.h"
#include "manual/roff.h"

#define MAX_NOTES 128

struct note {
    char name[64];
    char *text; /* lines */
    size_t size;
    bool is_used;
};

struct notes {
    struct note note[MAX_NOTES];
    size_t n;
};

struct page {
    const char *path;
    FILE *from, *to;
    const struct cli_command *command; /* NULL: it is of no verb */
    char program[80];                  /* as it is called: "rangefinder stats" */
    char separator;                    /* between an option and its value */
    char *line;                        /* without its end */
    size_t room;
};

__attribute__((noreturn, format(printf, 2, 3))) static void fail(const char *path,
                                                                 const char *format, ...)
{
    va_list args;
    fprintf(stderr, "man_pages: %s: ", path);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL)
        fail(path, "cannot be opened");
    return file;
}

static bool read_line(struct page *page)
{
    const ssize_t n = getline(&page->line, &page->room, page->from);
    if (n > 0 && page->line[n - 1] == '\n')
        page->line[n - 1] = '\0';
    return n > 0;
}

/* What follows `.\" word` in the line; NULL: it is another line. */
static const char *argument(const struct page *page, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(page->line, ".\\\" ", 4) != 0 || strncmp(page->line + 4, word, n) != 0)
        return NULL;
    const char *rest = page->line + 4 + n;
    return *rest == '\0' ? rest : *rest == ' ' ? rest + 1 : NULL;
}

/* ---- What is said of options beside their help ---- */

static struct note *find_note(struct notes *notes, const char *name)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->note[i].name, name) == 0)
            return &notes->note[i];
    return NULL;
}

static void add_text(struct note *note, const char *line)
{
    const size_t n = strlen(line);
    char *text = realloc(note->text, note->size + n + 2);
    if (text == NULL)
        fail(note->name, "out of memory");
    note->text = text;
    memcpy(text + note->size, line, n);
    memcpy(text + note->size + n, "\n", 2);
    note->size += n + 1;
}

/* Reads up to the end of the file, or of the options. */
static void read_notes(struct page *page, struct notes *notes)
{
    struct note *note = NULL;
    while (read_line(page) && argument(page, "end options") == NULL) {
        const char *name = argument(page, "about");
        if (name != NULL) {
            if (notes->n == MAX_NOTES || strlen(name) >= sizeof(note->name) ||
                find_note(notes, name) != NULL)
                fail(page->path, "'%s' is one too many, too long, or there already", name);
            note = &notes->note[notes->n++];
            (void)snprintf(note->name, sizeof(note->name), "%s", name);
        } else if (note != NULL) {
            add_text(note, page->line);
        }
    }
}

static void release(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->note[i].text);
    free(notes);
}

/* ---- What is put in ---- */

static void put_help(const struct page *page, const struct cli_command *command,
                     const struct cli_option *option)
{
    fputs(".TP\n", page->to);
    roff_put_option(page->to, option, page->separator);
    roff_put_text(page->to, option->help, option->value, command->synopsis);
}

static void put_options(struct page *page, const struct cli_command *command, struct notes *common)
{
    static const struct cli_option help = {
        1, 'h', "help", CLI_ARG_NONE, NULL, "Print the usage and the options.", NULL};
    struct notes *own = calloc(1, sizeof(*own));
    if (own == NULL)
        fail(page->path, "out of memory");
    read_notes(page, own);
    for (const struct cli_option *option = command->options; option->id != 0; option++) {
        if (option->help == NULL)
            continue;
        put_help(page, command, option);
        struct note *note = find_note(own, option->name);
        if (note == NULL)
            note = find_note(common, option->name);
        if (note != NULL && note->text != NULL)
            fputs(note->text, page->to);
        if (note != NULL)
            note->is_used = true;
    }
    put_help(page, command, &help);
    for (size_t i = 0; i < own->n; i++)
        if (!own->note[i].is_used)
            fail(page->path, "'%s' has no option --%s that its help names", page->program,
                 own->note[i].name);
    release(own);
}

static void put_synopsis(const struct page *page, const struct cli_command *command)
{
    const char *at = command->synopsis;
    for (;;) {
        char line[200];
        const size_t n = strcspn(at, "\n");
        (void)snprintf(line, sizeof(line), "%.*s", (int)n, at);
        fprintf(page->to, "\\fB%s\\fR ", page->program);
        roff_put_synopsis(page->to, line);
        if (at[n] == '\0')
            return;
        fputs(".br\n", page->to);
        at += n + 1;
    }
}

static void put_verbs(const struct page *page)
{
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (command->summary == NULL)
            continue;
        roff_put_verb(page->to, command->name, command->summary);
    }
}

/* ---- Pages ---- */

/* The verb whose page has this name: rangefinder-VERB.1. */
static void find_command(struct page *page, const char *name)
{
    static const char begin[] = "rangefinder-";
    const size_t n = strcspn(name, ".");
    char verb[64];
    page->separator = '=';
    if (strncmp(name, "nsys2json.", 10) == 0) {
        page->command = &nsys2json_command;
        page->separator = ' ';
        (void)snprintf(page->program, sizeof(page->program), "nsys2json");
    } else if (strncmp(name, begin, sizeof(begin) - 1) == 0) {
        (void)snprintf(verb, sizeof(verb), "%.*s", (int)(n - sizeof(begin) + 1),
                       name + sizeof(begin) - 1);
        page->command = cli_command_find(verb);
        if (page->command == NULL)
            fail(page->path, "there is no verb '%s'", verb);
        (void)snprintf(page->program, sizeof(page->program), "rangefinder %s", verb);
    }
}

static void put_name(const struct page *page)
{
    char name[80];
    (void)snprintf(name, sizeof(name), "%s", page->program);
    for (char *space = name; (space = strchr(space, ' ')) != NULL;)
        *space = '-';
    roff_put_name(page->to, name, page->command->summary);
}

/* A line of the page, or what stands for it. */
static void put_line(struct page *page, struct notes *common)
{
    const char *subcommand;
    if (argument(page, "verbs") != NULL) {
        put_verbs(page);
    } else if (page->command == NULL) {
        fprintf(page->to, "%s\n", page->line);
    } else if (argument(page, "name") != NULL) {
        put_name(page);
    } else if (argument(page, "synopsis") != NULL) {
        put_synopsis(page, page->command);
    } else if ((subcommand = argument(page, "options")) != NULL) {
        if (*subcommand != '\0' && page->command->subcommand == NULL)
            fail(page->path, "'%s' has no '%s'", page->program, subcommand);
        put_options(page, *subcommand != '\0' ? page->command->subcommand : page->command, common);
    } else {
        fprintf(page->to, "%s\n", page->line);
    }
}

static void write_page(const char *folder, const char *path, struct notes *common)
{
    char out[4096];
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    struct page page = {.path = path, .from = open_file(path, "r")};
    if (snprintf(out, sizeof(out), "%s/%s", folder, name) >= (int)sizeof(out))
        fail(path, "its path is too long");
    page.to = open_file(out, "w");
    find_command(&page, name);
    while (read_line(&page))
        put_line(&page, common);
    if (ferror(page.from) != 0 || ferror(page.to) != 0 || fclose(page.to) != 0)
        fail(out, "cannot be written");
    (void)fclose(page.from);
    free(page.line);
}

/* Options that no page has are an error, too. */
static void check_common(const char *path, const struct notes *common)
{
    for (size_t i = 0; i < common->n; i++)
        if (!common->note[i].is_used)
            fail(path, "no page has the option --%s, or each says something else of it",
                 common->note[i].name);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: man_pages FOLDER COMMON PAGE...\n", stderr);
        return 2;
    }
    struct page page = {.path = argv[2], .from = open_file(argv[2], "r")};
    struct notes *common = calloc(1, sizeof(*common));
    if (common == NULL)
        fail(argv[2], "out of memory");
    read_notes(&page, common);
    (void)fclose(page.from);
    free(page.line);
    for (int i = 3; i < argc; i++)
        write_page(argv[1], argv[i], common);
    check_common(argv[2], common);
    release(common);
    return 0;
}
