/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder recipe: a report of a job, computed by tasks of an engine that users have. The
 * engines are Python's, so the work is handed to the package rangefinder.fleet. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask_python.h"
#include "cli/command.h"
#include "cli/install.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/progress_option.h"
#include "cli/say.h"
#include "cli/usage_error.h"

enum {
    OPT_INPUT = 1,
    OPT_MODE,
    OPT_OUTPUT,
    OPT_CSV,
    OPT_FORCE,
    OPT_STEP,
    OPT_COLLECTIVE,
    OPT_FOLD,
    OPT_FILTER_TIME,
    OPT_FILTER_NVTX,
    OPT_HELP_RECIPES,
    OPT_QUIET
};

static const struct cli_option options[] = {
    {OPT_INPUT, '\0', "input", CLI_ARG_VALUE, "PATH[:N]",
     "A recording, a summary, or a folder of them, of which the first N are taken. May be "
     "repeated, "
     "and several PATHs may follow.",
     NULL},
    {OPT_MODE, '\0', "mode", CLI_ARG_VALUE, "none|concurrent|dask-futures",
     "Where the tasks run: one after another, a process per processor, or on the workers of Dask: "
     "of the scheduler that DASK_SCHEDULER_ADDRESS or NSYS_DASK_SCHEDULER_FILE names, or on this "
     "machine. Default: concurrent.",
     NULL},
    {OPT_OUTPUT, '\0', "output", CLI_ARG_VALUE, "DIR",
     "The folder to write; %h (host), %p (process id) and %q{VARIABLE} are replaced. Default: "
     "REPORT-1, or the next number that is free.",
     NULL},
    {OPT_CSV, '\0', "csv", CLI_ARG_BOOL, NULL,
     "Write tables as CSV. Default: Parquet, where python3 has pyarrow.", NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Replace DIR, if a recipe wrote it.",
     NULL},
    {OPT_STEP, '\0', "step", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "The ranges of this name are the steps. Default: they are found.", NULL},
    {OPT_COLLECTIVE, '\0', "collective", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "The ranges of this name are collectives too.", NULL},
    {OPT_FOLD, '\0', "fold-numbers", CLI_ARG_BOOL, NULL,
     "Names of ranges that differ by numbers are one: op_17 and op_18 are op_#.", NULL},
    {OPT_FILTER_TIME, '\0', "filter-time", CLI_ARG_VALUE, "START/END",
     "Only what lies in this time of each recording, at least partly.", NULL},
    {OPT_FILTER_NVTX, '\0', "filter-nvtx", CLI_ARG_VALUE, "MESSAGE[@DOMAIN][/INDEX]",
     "Only what lies in the time of these ranges, at least partly.", NULL},
    {OPT_HELP_RECIPES, '\0', "help-recipes", CLI_ARG_NONE, NULL,
     "List the recipes, and what stands for those of nsys.", NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No messages but errors.", NULL},
    CLI_PROGRESS_OPTION,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* What python3 runs; the words of the recipe follow. */
static const char script[] = CLI_PYTHON_LEAVES_FOLDER
    "try:\n"
    "    from rangefinder import _reader\n"
    "    from rangefinder.fleet.__main__ import main\n"
    "except ImportError as error:\n"
    "    sys.exit('rangefinder: recipe needs a python3 that has this project\\'s package: '\n"
    "             f'{error}; \\'rangefinder doctor\\' says what it imports')\n"
    "if _reader.__version__ != '" RF_PRODUCT_VERSION "':\n"
    "    sys.exit(f'rangefinder: {_reader.__file__!r} is of rangefinder {_reader.__version__}, '\n"
    "             'and this command line is rangefinder " RF_PRODUCT_VERSION "; install both '\n"
    "             'from one package')\n"
    "sys.exit(main(sys.argv[1:]))\n";

/* ---- Which Python ---- */

/* Whether the package lies in a folder beside this program. */
static bool has_package(const char *self, const char *folder, char *path, size_t size)
{
    char file[PATH_MAX + 64], found[PATH_MAX];
    (void)snprintf(file, sizeof(file), "%s%s/fleet/__main__.py", self, folder);
    (void)snprintf(path, size, "%s%s/..", self, folder);
    if (access(file, R_OK) != 0 || realpath(path, found) == NULL)
        return false;
    (void)snprintf(path, size, "%s", found);
    return true;
}

/* Puts the build's package before others. */
static void use_package(const char *path)
{
    const char *old = getenv("PYTHONPATH");
    char *both = NULL;
    if (old == NULL || old[0] == '\0')
        (void)setenv("PYTHONPATH", path, 1);
    else if (asprintf(&both, "%s:%s", path, old) >= 0)
        (void)setenv("PYTHONPATH", both, 1);
    free(both);
}

/* The interpreter: that of the environment whose wheel this program is part of, or the python3 of
 * the PATH, which may have the package, or is shown that of the build tree. */
static void choose_python(char *python, size_t size)
{
    char self[PATH_MAX], package[PATH_MAX + 64];
    struct rf_err err;
    (void)snprintf(python, size, "python3");
    if (cli_install_self(self, sizeof(self), &err) != RF_OK)
        return;
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    if (has_package(self, "/../python/rangefinder", package, sizeof(package))) {
        use_package(package);
    } else if (has_package(self, "/..", package, sizeof(package))) {
        (void)snprintf(python, size, "%s/../../../bin/python3", package);
        if (access(python, X_OK) != 0)
            (void)snprintf(python, size, "python3");
    }
}

/* ---- Its words ---- */

struct words {
    char **word;
    size_t n;
    bool is_listing; /* --help-recipes */
    bool has_input;
};

static int no_memory(void)
{
    cli_say("out of memory");
    return CLI_FAILED;
}

/* Adds "--NAME=VALUE", or a word as it is where there is no name. */
static int add(struct words *words, const char *name, const char *value)
{
    char *word = NULL;
    int n = name != NULL ? asprintf(&word, "--%s=%s", name, value) : asprintf(&word, "%s", value);
    if (n < 0)
        return no_memory();
    words->word[words->n++] = word;
    return CLI_OK;
}

/* As with nsys, %q{VARIABLE}, %h and %p are replaced. */
static int add_output(struct words *words, const char *pattern)
{
    char path[PATH_MAX];
    struct rf_err err;
    if (cli_expand(path, sizeof(path), pattern, getpid(), "--output", &err) == RF_OK)
        return add(words, "output", path);
    cli_say("%s", err.text);
    return CLI_USAGE;
}

static bool is_mode(const char *word)
{
    return strcmp(word, "none") == 0 || strcmp(word, "concurrent") == 0 ||
           strcmp(word, "dask-futures") == 0;
}

static int add_option(struct words *words, const struct cli_parser *parser)
{
    const struct cli_option *option = parser->option;
    words->has_input |= option->id == OPT_INPUT;
    if (option->id == OPT_MODE && !is_mode(parser->value))
        return cli_usage_error(parser->command,
                               "--mode: '%s' is neither none, concurrent nor "
                               "dask-futures",
                               parser->value);
    if (option->id == OPT_HELP_RECIPES) {
        words->is_listing = true;
        return add(words, NULL, "--help-recipes");
    }
    if (option->id == OPT_OUTPUT)
        return add_output(words, parser->value);
    return add(words, option->name,
               option->arg == CLI_ARG_BOOL ? (parser->is_true ? "true" : "false") : parser->value);
}

/* The first operand is the recipe; as with nsys, several inputs may follow --input. */
static int add_operands(struct words *words, const struct cli_parser *parser)
{
    int status = CLI_OK;
    if (words->is_listing)
        return CLI_OK;
    if (parser->n_operands == 0)
        return cli_usage_error(parser->command, "REPORT is missing; --help-recipes lists them");
    if (!words->has_input)
        return cli_usage_error(parser->command, "--input PATH is missing");
    for (int i = 1; i < parser->n_operands && status == CLI_OK; i++)
        status = add(words, "input", parser->argv[i]);
    if (status == CLI_OK)
        status = add(words, "progress", cli_progress_value());
    if (status == CLI_OK)
        status = add(words, NULL, "--");
    return status == CLI_OK ? add(words, NULL, parser->argv[0]) : status;
}

/* Becomes Python. Returns only where that fails. */
static int run_python(char **word)
{
    char python[PATH_MAX + 96];
    choose_python(python, sizeof(python));
    word[0] = python;
    (void)execvp(python, word);
    cli_say("cannot run '%s': %s; recipe needs a python3 with this project's package", python,
            strerror(errno));
    return CLI_FAILED;
}

static int recipe_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    struct words words = {calloc((size_t)argc + 8, sizeof(char *)), 1, false, false};
    int id = 0, status = words.word != NULL ? CLI_OK : no_memory();
    if (status == CLI_OK)
        status = add(&words, NULL, "-c");
    if (status == CLI_OK)
        status = add(&words, NULL, script);
    if (status == CLI_OK)
        status = add(&words, NULL, "recipe");
    cli_parser_init(&parser, command, argc, argv);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        status = add_option(&words, &parser);
    if (id < 0)
        status = parser.status;
    else if (status == CLI_OK)
        status = add_operands(&words, &parser);
    if (status == CLI_OK && id == 0)
        status = run_python(words.word);
    for (size_t i = 1; words.word != NULL && i < words.n; i++)
        free(words.word[i]);
    free(words.word);
    return status;
}

const struct cli_command cli_cmd_recipe = {
    .name = "recipe",
    .summary = "a report of a job of many ranks, on all cores or by Dask",
    .synopsis = "REPORT --input PATH[:N]... [options]\n--help-recipes",
    .operands = "REPORT RECORDING...",
    .description =
        "Sums up each recording of a job by a task of its own, on this machine or on workers of\n"
        "Dask, and writes the report over all ranks, all files and what became of them into a\n"
        "folder. A rank that is missing or damaged is listed there; the others are summed up.\n"
        "The names of nsys's recipes are understood. It needs python3 with this project's package.",
    .options = options,
    .run = recipe_run,
};
