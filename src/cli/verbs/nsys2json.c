/* SPDX-License-Identifier: Apache-2.0 */
/* nsys2json: what this program does when it is started under that name. The options are those of
 * the Python script of that name, so callers need not change anything: an option may take several
 * words, may be shortened, and the last one of a kind counts. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "cli/command.h"
#include "cli/command_help.h"
#include "cli/filter_options.h"
#include "cli/verbs/nsys2json.h"
#include "cli/progress.h"
#include "cli/recording_file.h"
#include "cli/say.h"

enum { FILENAME = 1, OUTPUT, ACTIVITY, PREFIX, COLORS, IMPORT, HELP };

/* A value that ends with "..." stands for several words. */
static const struct cli_option options[] = {
    {FILENAME, 'f', "filename", CLI_ARG_VALUE, "FILE", "The file to convert.", NULL},
    {OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT",
     "Write OUT, over what is there; - is standard output. Default: FILE with .json in place of "
     "its "
     "ending.",
     NULL},
    {ACTIVITY, 't', "activity-type", CLI_ARG_VALUE, "TYPE...",
     "What to show: kernel, nvtx, nvtx-kernel, cuda-api. Default: kernel nvtx-kernel.", NULL},
    {PREFIX, '\0', "nvtx-event-prefix", CLI_ARG_VALUE, "PREFIX...",
     "Only ranges whose name begins with one of these.", NULL},
    {COLORS, '\0', "nvtx-color-scheme", CLI_ARG_VALUE, "JSON",
     "An object {\"expression\": \"color\"}: gives a range the color of the first regular "
     "expression "
     "found in its name.",
     NULL},
    {IMPORT, '\0', "import", CLI_ARG_VALUE, "auto|pages|library",
     "How to read the large tables: from the pages of the file, or by SQLite's library. Default: "
     "auto, the pages if they can be read.",
     NULL},
    {HELP, 'h', "help", CLI_ARG_NONE, NULL, NULL, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

const struct cli_command nsys2json_command = {
    .name = "nsys2json",
    .summary = "convert an export of Nsight Systems to Chrome trace JSON",
    .synopsis = "-f FILE [-o OUT] [-t TYPE...] [--nvtx-event-prefix PREFIX...] "
                "[--nvtx-color-scheme JSON] [--import auto|pages|library]",
    .description =
        "Converts a SQLite export of Nsight Systems to JSON for chrome://tracing and Perfetto.",
    .epilog = "It is a name of rangefinder: 'rangefinder export -h' has more forms and filters.",
    .options = options,
};

struct command_line {
    int argc, at; /* at: the next word */
    char **argv;
    const char *attached; /* --name=THIS, -nTHIS; NULL: none */
    const char *input, *output;
    unsigned open_flags;
    struct nsys2json_request request;
};

/* ---- What export --compat shares ---- */

unsigned nsys2json_activity(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } activities[] = {{"kernel", RF_NSYS2JSON_KERNEL},
                      {"nvtx", RF_NSYS2JSON_NVTX},
                      {"nvtx-kernel", RF_NSYS2JSON_NVTX_KERNEL},
                      {"cuda-api", RF_NSYS2JSON_CUDA_API}};
    for (size_t i = 0; i < sizeof(activities) / sizeof(activities[0]); i++)
        if (strcmp(activities[i].name, name) == 0)
            return activities[i].bit;
    return 0;
}

int nsys2json_add_prefix(struct nsys2json_request *request, const char *prefix)
{
    size_t n = request->options.n_prefixes;
    if (rf_grow_array(&request->prefixes, n, &request->prefix_room, sizeof(*request->prefixes)) !=
        RF_OK) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    request->prefixes[n] = prefix;
    request->options.prefixes = request->prefixes;
    request->options.n_prefixes = n + 1;
    return CLI_OK;
}

void nsys2json_release(struct nsys2json_request *request)
{
    free(request->prefixes);
    memset(request, 0, sizeof(*request));
}

/* ---- The command line ---- */

static int fail_usage(const char *what, const char *word)
{
    cli_say("%s '%s'; 'nsys2json -h' explains the options", what, word);
    return CLI_USAGE;
}

/* A word that begins with a dash is an option, except "-", negative numbers, and words with a
 * space. */
static bool is_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0' || strchr(word, ' ') != NULL)
        return false;
    return word[1 + strspn(word + 1, "0123456789.")] != '\0';
}

static const struct cli_option *find_long(const char *word, size_t length)
{
    const struct cli_option *found = NULL;
    for (const struct cli_option *option = options; option->id != 0; option++) {
        if (strncmp(option->name, word, length) != 0)
            continue;
        if (option->name[length] == '\0')
            return option;
        if (found != NULL)
            return NULL; /* it may be either */
        found = option;
    }
    return found;
}

/* The option that a word is, or NULL. */
static const struct cli_option *find_option(struct command_line *line, const char *word)
{
    line->attached = NULL;
    if (word[0] == '-' && word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        if (word[2 + length] == '=')
            line->attached = word + 2 + length + 1;
        return length > 0 ? find_long(word + 2, length) : NULL;
    }
    for (const struct cli_option *option = options; option->id != 0; option++) {
        if (word[0] != '-' || option->letter == '\0' || word[1] != option->letter)
            continue;
        if (word[2] != '\0')
            line->attached = word + 2 + (word[2] == '=');
        return option;
    }
    return NULL;
}

/* The next value of the current option, or NULL. */
static const char *next_value(struct command_line *line)
{
    const char *value = line->attached;
    if (value != NULL) {
        line->attached = NULL;
        return value;
    }
    if (line->at >= line->argc || is_option(line->argv[line->at]))
        return NULL;
    return line->argv[line->at++];
}

static int parse_value(struct command_line *line, int option, const char *value)
{
    unsigned activity;
    switch (option) {
    case FILENAME:
        line->input = value;
        return CLI_OK;
    case OUTPUT:
        line->output = value;
        return CLI_OK;
    case COLORS:
        line->request.options.color_scheme = value;
        return CLI_OK;
    case IMPORT:
        return cli_import_flags(value, &line->open_flags)
                   ? CLI_OK
                   : fail_usage("--import takes auto, pages or library, not", value);
    case PREFIX:
        return nsys2json_add_prefix(&line->request, value);
    default:
        activity = nsys2json_activity(value);
        line->request.options.activities |= activity;
        return activity != 0
                   ? CLI_OK
                   : fail_usage("-t takes kernel, nvtx, nvtx-kernel and cuda-api, not", value);
    }
}

static bool takes_several(const struct cli_option *option)
{
    return option->value != NULL && strstr(option->value, "...") != NULL;
}

static int parse_option(struct command_line *line, const struct cli_option *option,
                        const char *word)
{
    bool is_attached = line->attached != NULL;
    if (option->arg == CLI_ARG_NONE)
        return is_attached ? fail_usage("no value belongs to", word) : CLI_OK;
    if (option->id == PREFIX)
        line->request.options.n_prefixes = 0;
    if (option->id == ACTIVITY)
        line->request.options.activities = 0;
    const char *value = next_value(line);
    if (value == NULL)
        return fail_usage("a value is missing after", word);
    int status = parse_value(line, option->id, value);
    while (status == CLI_OK && takes_several(option) && !is_attached &&
           (value = next_value(line)) != NULL)
        status = parse_value(line, option->id, value);
    return status;
}

static int print_help(void)
{
    static const struct cli_option help = {HELP, 'h',           "help", CLI_ARG_NONE,
                                           NULL, "Print this.", NULL};
    const char before[] = "usage: nsys2json ";
    fputs(before, stdout);
    cli_print_wrapped(sizeof(before) - 1, sizeof(before) - 1, nsys2json_command.synopsis);
    printf("\n%s\n\noptions:\n", nsys2json_command.description);
    for (const struct cli_option *option = options; option->id != 0; option++)
        if (option->help != NULL)
            cli_option_help_with(option, ' ');
    cli_option_help(&help);
    return printf("\n%s\n", nsys2json_command.epilog) >= 0 ? CLI_OK : CLI_FAILED;
}

/* Returns CLI_OK with *is_done set where nothing is left to do. */
static int parse(struct command_line *line, bool *is_done)
{
    int status = CLI_OK;
    while (line->at < line->argc && status == CLI_OK) {
        const char *word = line->argv[line->at++];
        const struct cli_option *option = find_option(line, word);
        if (option == NULL)
            return fail_usage(word[0] == '-' ? "unknown option" : "an option is missing before",
                              word);
        status = parse_option(line, option, word);
        if (status == CLI_OK && option->id == HELP) {
            *is_done = true;
            return print_help();
        }
    }
    if (status == CLI_OK && line->input == NULL)
        return fail_usage("this is needed:", "-f FILE");
    return status;
}

/* FILE with another ending, as pathlib's with_suffix() makes it. */
static void name_output(char *path, size_t size, const char *input)
{
    const char *name = strrchr(input, '/');
    name = name != NULL ? name + 1 : input;
    const char *dot = strrchr(name, '.');
    size_t length = strlen(input);
    if (dot != NULL && dot > name && dot[1] != '\0')
        length = (size_t)(dot - input);
    (void)snprintf(path, size, "%.*s.json", (int)length, input);
}

static int convert(struct command_line *line)
{
    char path[PATH_MAX + 8];
    struct cli_progress progress;
    struct rf_err err;
    if (line->output == NULL) {
        name_output(path, sizeof(path), line->input);
        line->output = path;
    }
    if (cli_is_input(line->output, line->input))
        return CLI_FAILED;
    rf_recording *rec = cli_open_recording_as(line->input, RF_OPEN_NO_DETAILS | line->open_flags);
    if (rec == NULL)
        return CLI_FAILED;
    cli_progress_begin(&progress, "converting");
    const struct rf_export_options request = {
        .size = sizeof(request),
        .format = "json",
        .output = line->output,
        .can_overwrite = true,
        .progress = cli_progress_update,
        .progress_context = &progress,
        .nsys2json = &line->request.options,
    };
    int status = rf_export(rec, &request, &err);
    cli_progress_end(&progress);
    rf_close(rec);
    if (status == RF_OK)
        return CLI_OK;
    cli_say("%s", err.text);
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

/* Lines of cli_say() begin with this program's name. */
static void write_line(void *context, const char *line, size_t size)
{
    char text[2100];
    size_t skipped = strcspn(line, ":");
    (void)context;
    int n = snprintf(text, sizeof(text), "nsys2json%.*s", (int)(size - skipped), line + skipped);
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* nobody reads standard error */
}

bool nsys2json_is_meant(const char *argv0)
{
    const char *name = argv0 != NULL ? strrchr(argv0, '/') : NULL;
    name = name != NULL ? name + 1 : argv0;
    return name != NULL && strcmp(name, "nsys2json") == 0;
}

int nsys2json_main(int argc, char **argv)
{
    struct command_line line = {.argc = argc, .at = 1, .argv = argv};
    line.request.options.size = sizeof(line.request.options);
    bool is_done = false;
    cli_say_through(write_line, NULL);
    int status = parse(&line, &is_done);
    if (status == CLI_OK && !is_done)
        status = convert(&line);
    nsys2json_release(&line.request);
    return status;
}
