/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program under a pseudo-terminal as `rangefinder profile -c hotkey` does, without recording
 * it: driver [--wait] [--keys KEYS] PROGRAM [ARGUMENTS]. Says when a key is pressed and, with
 * --wait, waits for what the program leaves behind. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/profile/program.h"
#include "cli/say.h"
#include "cli/terminal/terminal.h"

static void on_key(void *context)
{
    int *n_presses = context;
    cli_say("key %d", ++*n_presses);
}

static void on_root_end(void *context, const struct program_ending *ending)
{
    (void)context;
    cli_say("ended with status %d", program_ending_status(ending));
}

static void on_lingering(void *context)
{
    (void)context;
    cli_say("left behind");
}

static int run(struct program *program, char **argv, int waits)
{
    const struct program_watch_hooks hooks = {NULL, on_root_end, on_lingering};
    struct program_ending ending;
    struct program_env env;
    struct rf_err err;
    char path[PATH_MAX];
    if (program_env_init(&env, 1) != RF_OK)
        return CLI_PROFILE_FAILED;
    int status = program_find(argv[0], &env, path, sizeof(path), &err);
    if (status == CLI_OK && program_prepare(program, path, argv, &env, &err) != RF_OK)
        status = CLI_PROFILE_FAILED;
    program_env_release(&env);
    if (status != CLI_OK) {
        cli_say("%s", err.text);
        return status;
    }
    program_hold_signals(waits);
    if (getenv("DRIVER_CANCELS") != NULL) {
        program_cancel(program);
        return CLI_OK;
    }
    int code = program_start(program, "");
    if (code != 0)
        cli_say("cannot execute '%s': %s", path, strerror(code));
    program_watch(program, waits, &hooks, &ending);
    return program_ending_status(&ending);
}

int main(int argc, char **argv)
{
    struct program program;
    struct hotkey_set set;
    struct rf_err err;
    const char *keys = NULL;
    int waits = 0, n_presses = 0, i = 1;
    memset(&program, 0, sizeof(program));
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--wait") == 0)
            waits = 1;
        else if (strcmp(argv[i], "--keys") == 0 && i + 1 < argc)
            keys = argv[++i];
    }
    if (i == argc || hotkey_set_parse(&set, keys, &err) != RF_OK ||
        cli_terminal_new(&program.terminal, &set, on_key, &n_presses, &err) != RF_OK) {
        cli_say("%s", i == argc ? "no program is named" : err.text);
        return CLI_USAGE;
    }
    int status = run(&program, argv + i, waits);
    cli_terminal_free(program.terminal);
    cli_say("done after %d presses", n_presses);
    return status;
}
