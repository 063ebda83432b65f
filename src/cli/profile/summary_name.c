/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/summary_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output_name.h"
#include "cli/profile/profile_options.h"
#include "cli/say.h"

static bool can_write_beside(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return access(".", W_OK | X_OK) == 0;
    slash[1] = '\0';
    return access(folder, W_OK | X_OK) == 0;
}

int summary_name(const struct profile_options *options, pid_t pid, char path[PATH_MAX])
{
    struct rf_err err;
    struct stat st;
    path[0] = '\0';
    if (options->summary_json == NULL)
        return CLI_OK;
    if (cli_expand(path, PATH_MAX, options->summary_json, pid, "--summary-json", &err) != RF_OK)
        cli_say("%s", err.text);
    else if (!can_write_beside(path))
        cli_say("cannot write '%s': its folder: %s", path, strerror(errno));
    else if (!options->can_overwrite && lstat(path, &st) == 0)
        cli_say("'%s' exists already; use -f to overwrite it", path);
    else
        return CLI_OK;
    path[0] = '\0';
    return CLI_PROFILE_FAILED;
}

/* path: BASE.rf, BASE.1.rf, BASE.json, ... */
static bool is_output(const struct profile_options *options, const char *base, const char *path)
{
    const size_t n = strlen(base);
    if (strncmp(path, base, n) != 0 || path[n] != '.')
        return false;
    const char *ending = path + n, *behind = ending + 1 + strspn(ending + 1, "0123456789");
    if (behind > ending + 1 && *behind == '.')
        ending = behind;
    if (strcmp(ending, CLI_RECORDING_SUFFIX) == 0)
        return true;
    for (size_t i = 0; i < options->n_exports; i++)
        if (strcmp(ending + 1, rf_export_extension(options->exports[i])) == 0)
            return true;
    return false;
}

bool summary_name_is_free(const struct profile_options *options, const char *base, const char *path)
{
    if (!is_output(options, base, path))
        return true;
    cli_say("'%s' is the name of the recording or an export: give --summary-json another one",
            path);
    return false;
}
