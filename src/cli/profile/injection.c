/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/injection.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/install.h"
#include "cli/profile/program.h"
#include "cli/say.h"
#include "log/ask.h"

#define NVTX_VARIABLE "NVTX_INJECTION64_PATH"
#define CUDA_VARIABLE "CUDA_INJECTION64_PATH"

enum injection_owner injection_owner(const char *value, const char *inject)
{
    char resolved[PATH_MAX];
    if (value == NULL || value[0] == '\0')
        return INJECTION_NOBODY;
    if (strcmp(value, "none") == 0)
        return INJECTION_OFF;
    const char *name = strrchr(value, '/');
    name = name != NULL ? name + 1 : value;
    if (strcmp(name, CLI_INJECT_NAME) == 0 || strcmp(name, CLI_CHAIN_NAME) == 0 ||
        (realpath(value, resolved) != NULL && strcmp(resolved, inject) == 0))
        return INJECTION_OURS;
    return INJECTION_OTHER;
}

static int set_variable(struct program_env *env, const char *name, const char *path)
{
    char assignment[PATH_MAX + 64];
    (void)snprintf(assignment, sizeof(assignment), "%s=%s", name, path);
    if (program_env_set(env, assignment) == RF_OK)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_PROFILE_FAILED;
}

static int set_nvtx(struct program_env *env, const struct chain_options *chain, const char *inject)
{
    const char *before = program_env_get(env, NVTX_VARIABLE);
    enum injection_owner owner = injection_owner(before, inject);
    char path[PATH_MAX];
    if (owner != INJECTION_OTHER || chain->is_auto) {
        int status =
            chain_set(chain, env, owner == INJECTION_OTHER ? before : NULL, path, sizeof(path));
        if (status != CLI_OK || path[0] != '\0')
            return status != CLI_OK ? status : set_variable(env, NVTX_VARIABLE, path);
    }
    if (owner == INJECTION_NOBODY || owner == INJECTION_OURS)
        return set_variable(env, NVTX_VARIABLE, inject);
    cli_say("another tool wants the program's NVTX calls: " NVTX_VARIABLE "='%s'; to record with "
            "rangefinder: unset " NVTX_VARIABLE ", or --chain=auto, and both see them",
            before);
    return CLI_PROFILE_FAILED;
}

/* CUDA loads only one library: another tool's and ours exclude each other. */
static int set_cuda(struct program_env *env, const struct profile_options *options,
                    const char *inject, bool *records_cuda)
{
    const char *before = program_env_get(env, CUDA_VARIABLE);
    enum injection_owner owner = injection_owner(before, inject);
    bool must_say = options->trace.is_cuda_explicit || !options->is_quiet;
    *records_cuda = owner == INJECTION_NOBODY || owner == INJECTION_OURS;
    if (*records_cuda)
        return set_variable(env, CUDA_VARIABLE, inject);
    if (owner == INJECTION_OFF && must_say)
        cli_say("CUDA is not recorded: " CUDA_VARIABLE "=none");
    if (owner == INJECTION_OFF)
        return CLI_OK;
    if (options->trace.is_cuda_explicit) {
        cli_say("another tool wants the program's CUDA calls: " CUDA_VARIABLE "='%s'; to record "
                "them with rangefinder: unset " CUDA_VARIABLE,
                before);
        return CLI_PROFILE_FAILED;
    }
    if (must_say)
        cli_say("CUDA is not recorded: " CUDA_VARIABLE
                "='%s' is another tool; to record it: unset " CUDA_VARIABLE,
                before);
    return CLI_OK;
}

int injection_set(struct program_env *env, const struct profile_options *options,
                  bool *records_cuda)
{
    /* the library that detects triggers finds the recorder by this variable too */
    bool needs_nvtx = options->trace.has_nvtx || options->focus.triggers != 0 ||
                      options->ring.size != 0; /* the program may ask for a snapshot */
    char inject[PATH_MAX];
    struct rf_err err;
    *records_cuda = false;
    if (cli_install_recorder(inject, sizeof(inject), &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    int status = needs_nvtx ? set_nvtx(env, &options->chain, inject) : CLI_OK;
    if (status == CLI_OK && options->trace.has_cuda)
        status = set_cuda(env, options, inject, records_cuda);
    return status;
}

void injection_unset(struct program_env *env)
{
    static const char *const libraries[] = {NVTX_VARIABLE, CUDA_VARIABLE};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (injection_owner(program_env_get(env, libraries[i]), "") == INJECTION_OURS)
            program_env_unset(env, libraries[i]);
    program_env_unset(env, PROGRAM_SESSION_VARIABLE);
    program_env_unset(env, RF_ASK_VARIABLE);
}
