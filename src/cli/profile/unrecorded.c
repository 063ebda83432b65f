/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/unrecorded.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/profile/injection.h"
#include "cli/profile/profile_options.h"
#include "cli/profile/program.h"
#include "cli/say.h"

int unrecorded_exec(const struct profile_options *options)
{
    struct program_env env;
    char path[PATH_MAX];
    struct rf_err err;
    int status = program_env_init(&env, options->inherits_env);
    for (size_t i = 0; status == RF_OK && i < options->n_env; i++)
        status = program_env_set(&env, options->env[i]);
    if (status != RF_OK) {
        cli_say("out of memory");
        status = CLI_PROFILE_FAILED;
    } else if ((status = program_find(options->app[0], &env, path, sizeof(path), &err)) != CLI_OK) {
        cli_say("%s", err.text);
    } else {
        injection_unset(&env);
        environ = env.vars;
        (void)execvp(path, options->app);
        cli_say("cannot execute '%s': %s", path, strerror(errno));
        status = errno == ENOENT ? CLI_APP_NOT_FOUND : CLI_APP_NOT_EXECUTABLE;
    }
    program_env_release(&env);
    return status;
}
