/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/pytorch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/install.h"
#include "cli/profile/program.h"

#define HOOK_FILE          "rangefinder/python/sitecustomize.py"
#define PATH_VARIABLE      "PYTHONPATH"
#define PYTORCH_VARIABLE   "RANGEFINDER_PYTORCH"
#define FUNCTIONS_VARIABLE "RANGEFINDER_PYTHON_FUNCTIONS"

/* In the order of the bits of enum cli_pytorch, and then the word for none of them. */
static const char *const words[] = {"autograd-nvtx", "autograd-shapes-nvtx", "functions-trace",
                                    "functions-trace-shapes", "none"};
enum { N_WORDS = sizeof(words) / sizeof(words[0]), NONE = N_WORDS - 1 };

/* ---- --pytorch ---- */

static int fail_unknown(const char *word, struct rf_err *err)
{
    const char *near = rf_nearest_name(word, words, N_WORDS);
    if (near != NULL)
        return rf_fail(err, RF_ERR_USAGE, "unknown value '%s' of '--pytorch'; did you mean '%s'?",
                       word, near);
    return rf_fail(err, RF_ERR_USAGE,
                   "unknown value '%s' of '--pytorch'; it takes autograd-nvtx, "
                   "autograd-shapes-nvtx, functions-trace, functions-trace-shapes or none",
                   word);
}

static int check_pair(unsigned set, unsigned first, struct rf_err *err)
{
    unsigned pair = 3U << first;
    if ((set & pair) != pair)
        return RF_OK;
    return rf_fail(err, RF_ERR_USAGE,
                   "'--pytorch' takes '%s' or '%s', not both; the second includes the first",
                   words[first], words[first + 1]);
}

int cli_pytorch_parse(const char *list, unsigned *set, struct rf_err *err)
{
    unsigned found = 0;
    for (const char *p = list;; p++) {
        char word[64];
        size_t length = strcspn(p, ",");
        unsigned i = 0;
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        while (i < N_WORDS && strcmp(word, words[i]) != 0)
            i++;
        if (i == N_WORDS)
            return fail_unknown(word, err);
        found |= 1U << i;
        p += length;
        if (*p == '\0')
            break;
    }
    if ((found & 1U << NONE) != 0 && found != 1U << NONE)
        return rf_fail(err, RF_ERR_USAGE, "'--pytorch=%s': 'none' stands alone", list);
    int status = check_pair(found, 0, err);
    if (status == RF_OK)
        status = check_pair(found, 2, err);
    *set = found & ~(1U << NONE);
    return status;
}

/* ---- The environment ---- */

static int set_variable(struct program_env *env, const char *name, const char *value,
                        struct rf_err *err)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *assignment = malloc(size);
    int status = RF_ERR_NO_MEMORY;
    if (assignment != NULL) {
        (void)snprintf(assignment, size, "%s=%s", name, value);
        status = program_env_set(env, assignment);
    }
    free(assignment);
    return status == RF_OK ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* The folder of the hook, without a slash at its end. */
static int find_hook(char *path, size_t size, struct rf_err *err)
{
    int status = cli_install_library(HOOK_FILE, path, size, err);
    if (status != RF_OK)
        return status;
    *strrchr(path, '/') = '\0';
    if (strchr(path, ':') != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "'%s' cannot stand in PYTHONPATH, because of the colon; install rangefinder "
                       "in another folder",
                       path);
    return RF_OK;
}

/* Python takes an empty entry for the current folder: none is added, and an existing one stays. */
static int prepend_hook(struct program_env *env, struct rf_err *err)
{
    char hook[PATH_MAX];
    int status = find_hook(hook, sizeof(hook), err);
    if (status != RF_OK)
        return status;
    const char *old = program_env_get(env, PATH_VARIABLE);
    size_t length = strlen(hook);
    if (old == NULL || old[0] == '\0')
        return set_variable(env, PATH_VARIABLE, hook, err);
    if (strncmp(old, hook, length) == 0 && (old[length] == ':' || old[length] == '\0'))
        return RF_OK; /* from an outer session */
    size_t size = length + strlen(old) + 2;
    char *value = malloc(size);
    if (value == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (void)snprintf(value, size, "%s:%s", hook, old);
    status = set_variable(env, PATH_VARIABLE, value, err);
    free(value);
    return status;
}

static int set_modes(struct program_env *env, unsigned set, struct rf_err *err)
{
    char value[128] = "";
    size_t length = 0;
    for (unsigned i = 0; i < NONE; i++)
        if ((set & 1U << i) != 0)
            length += (size_t)snprintf(value + length, sizeof(value) - length, "%s%s",
                                       length > 0 ? "," : "", words[i]);
    if (set == 0 && program_env_get(env, PYTORCH_VARIABLE) == NULL)
        return RF_OK;
    return set_variable(env, PYTORCH_VARIABLE, value, err);
}

/* The program may change its folder before Python starts: the path is made absolute. */
static int set_functions(struct program_env *env, const char *path, struct rf_err *err)
{
    if (path == NULL)
        return program_env_get(env, FUNCTIONS_VARIABLE) == NULL
                   ? RF_OK
                   : set_variable(env, FUNCTIONS_VARIABLE, "", err);
    char *absolute = realpath(path, NULL);
    if (absolute == NULL)
        return rf_fail(err, RF_ERR_IO, "cannot find '%s': %s", path, strerror(errno));
    int status = set_variable(env, FUNCTIONS_VARIABLE, absolute, err);
    free(absolute);
    return status;
}

int cli_pytorch_set_env(struct program_env *env, unsigned set, const char *functions_path,
                        struct rf_err *err)
{
    int status = set_modes(env, set, err);
    if (status == RF_OK)
        status = set_functions(env, functions_path, err);
    if (status == RF_OK && (set != 0 || functions_path != NULL))
        status = prepend_hook(env, err);
    return status;
}
