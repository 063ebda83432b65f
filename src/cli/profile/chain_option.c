/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/chain_option.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/install.h"
#include "cli/option_parser.h"
#include "cli/say.h"
#include "cli/usage_error.h"

#define VARIABLE "RANGEFINDER_CHAIN"

int chain_option(struct chain_options *options, const struct cli_parser *parser)
{
    if (strcmp(parser->value, "auto") == 0) {
        options->is_auto = true;
        return CLI_OK;
    }
    if (options->n == CHAIN_MOST)
        return cli_usage_error(parser->command,
                               "'--chain=%s': there are %u already, the most that can be",
                               parser->value, CHAIN_MOST);
    options->tool[options->n++] = parser->value;
    return CLI_OK;
}

static int add(char *list, size_t size, const char *tool)
{
    char path[PATH_MAX];
    const size_t n = strlen(list);
    if (realpath(tool, path) == NULL || access(path, R_OK) != 0) {
        cli_say("--chain: cannot read '%s': it is to be a library with the entry points of NVTX",
                tool);
        return CLI_PROFILE_FAILED;
    }
    if (strchr(path, ':') != NULL ||
        snprintf(list + n, size - n, "%s%s", n > 0 ? ":" : "", path) >= (int)(size - n)) {
        cli_say("--chain: the path '%s' is too long or has a ':'", path);
        return CLI_PROFILE_FAILED;
    }
    return CLI_OK;
}

/* Where another library is preloaded, the chain is too, before it: see name_again() there. */
static int preload(struct program_env *env, const char *path)
{
    const char *before = program_env_get(env, "LD_PRELOAD");
    if (before == NULL || before[0] == '\0')
        return CLI_OK;
    if (strpbrk(path, ": ") != NULL) {
        cli_say("--chain: cannot preload '%s', whose path has a ':' or a space", path);
        return CLI_PROFILE_FAILED;
    }
    return program_env_preload(env, path) == RF_OK ? CLI_OK : CLI_PROFILE_FAILED;
}

int chain_set(const struct chain_options *options, struct program_env *env, const char *another,
              char *path, size_t size)
{
    char assignment[sizeof(VARIABLE) + (CHAIN_MOST + 1) * PATH_MAX] = "";
    char list[sizeof(assignment) - sizeof(VARIABLE)] = "";
    struct rf_err err;
    int status = CLI_OK;
    path[0] = '\0';
    for (unsigned i = 0; i < options->n && status == CLI_OK; i++)
        status = add(list, sizeof(list), options->tool[i]);
    if (options->is_auto && another != NULL && status == CLI_OK)
        status = add(list, sizeof(list), another);
    if (status != CLI_OK || list[0] == '\0')
        return status;
    (void)snprintf(assignment, sizeof(assignment), VARIABLE "=%s", list);
    if (cli_install_library(CLI_CHAIN_NAME, path, size, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    if (program_env_set(env, assignment) != RF_OK)
        return CLI_PROFILE_FAILED;
    return preload(env, path);
}
