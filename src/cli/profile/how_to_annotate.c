/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/how_to_annotate.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/next.h"
#include "cli/say.h"

#define MAX_LOOKED_AT ((size_t)1 << 20) /* bytes of a script */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The beginning of a file, which the caller frees; "" of one that cannot be read. */
static char *read_text(const char *path, size_t most)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(most + 1);
    size_t n = 0;
    if (text != NULL && file != NULL)
        n = fread(text, 1, most, file);
    if (text != NULL)
        text[n] = '\0';
    if (file != NULL)
        (void)fclose(file);
    return text;
}

/* ---- What the program is ---- */

struct python {
    bool is_python;
    int script;       /* index of the script among the arguments; 0: the program itself is one, or
                       * there is none */
    const char *code; /* of -c, or NULL */
    bool is_module;   /* -m */
};

static bool is_script_of_python(const char *path)
{
    char *text = read_text(path, 256);
    bool is_one = false;
    if (text != NULL && strncmp(text, "#!", 2) == 0) {
        text[strcspn(text, "\n")] = '\0';
        is_one = strstr(text, "python") != NULL;
    }
    free(text);
    return is_one;
}

static void find_script(struct python *python, char *const *app)
{
    for (int i = 1; app[i] != NULL && python->script == 0; i++) {
        if (strcmp(app[i], "-c") == 0 || strcmp(app[i], "-m") == 0) {
            python->code = app[i][1] == 'c' ? app[i + 1] : NULL;
            python->is_module = app[i][1] == 'm';
            return;
        }
        if (strcmp(app[i], "-W") == 0 || strcmp(app[i], "-X") == 0) {
            if (app[i + 1] == NULL)
                return;
            i++;
        } else if (app[i][0] != '-') {
            python->script = i;
        }
    }
}

static struct python examine(const char *path, char *const *app)
{
    struct python python = {.is_python = false};
    if (strncmp(base_name(path), "python", 6) == 0) {
        python.is_python = true;
        find_script(&python, app);
    } else {
        python.is_python = is_script_of_python(path);
    }
    return python;
}

static bool has_torch(const struct python *python, const char *path, char *const *app)
{
    const char *script = python->script > 0 ? app[python->script] : path;
    const bool is_read = python->code == NULL && !python->is_module;
    char *text = is_read ? read_text(script, MAX_LOOKED_AT) : NULL;
    const char *code = is_read ? text : python->code;
    bool has = code != NULL &&
               (strstr(code, "import torch") != NULL || strstr(code, "from torch") != NULL);
    free(text);
    return has;
}

/* ---- What is said ---- */

/* The command with an option of profile. */
static void say_option(const char *what, const char *option, char *const *app)
{
    char line[2 * PATH_MAX] = "";
    if (cli_append_words(line, sizeof(line), app, SIZE_MAX))
        cli_say("next: rangefinder profile %s%s  # %s", option, line, what);
}

/* The command with a module that runs the script; path: the script where script is 0. */
static void say_module(const char *what, const char *path, char *const *app, size_t script)
{
    static char module[] = "rangefinder.nvtx", flag[] = "-m", python3[] = "python3";
    char line[2 * PATH_MAX] = "", name[PATH_MAX];
    (void)snprintf(name, sizeof(name), "%s", path);
    char *const own[] = {python3, flag, module, name, NULL};
    bool fits = script > 0 ? cli_append_words(line, sizeof(line), app, script) &&
                                 cli_append_words(line, sizeof(line), own + 1, 2)
                           : cli_append_words(line, sizeof(line), own, SIZE_MAX);
    if (fits && cli_append_words(line, sizeof(line), app + (script > 0 ? script : 1), SIZE_MAX))
        cli_say("next: rangefinder profile%s  # %s", line, what);
}

static void say_of_python(const char *path, const struct profile_options *options,
                          const struct python *python)
{
    if (options->pytorch == 0 && has_torch(python, path, options->app))
        say_option("functions of PyTorch", "--pytorch=functions-trace", options->app);
    if (python->code == NULL && !python->is_module)
        say_module("every function of the script", path, options->app, (size_t)python->script);
    if (options->python_functions == NULL)
        say_option("functions that FILE.json names", "--python-functions-trace=FILE.json",
                   options->app);
}

void cli_say_how_to_annotate(const char *path, const struct profile_options *options)
{
    const struct python python = examine(path, options->app);
    if (python.is_python)
        say_of_python(path, options, &python);
    else
        cli_say("mark parts of the program with nvtxRangePushA(\"name\") and "
                "nvtxRangePop() of <nvtx3/nvToolsExt.h>; 'python -m rangefinder.nvtx SCRIPT' marks "
                "the functions of a Python script");
}
