/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the program that is profiled, and waits for its end. */
#ifndef RF_CLI_PROFILE_PROGRAM_H
#define RF_CLI_PROFILE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "rangefinder/rangefinder.h"

#define PROGRAM_SESSION_VARIABLE "RANGEFINDER_SESSION"

/* The environment of the program: NAME=VALUE strings. */
struct program_env {
    char **vars; /* ends with NULL */
    size_t n, room;
};

/* A copy of this program's environment, or an empty one. */
int program_env_init(struct program_env *env, bool inherits);
void program_env_release(struct program_env *env);

/* Sets a variable, in place of one of that name. assignment: NAME=VALUE. */
int program_env_set(struct program_env *env, const char *assignment);

/* Has a library preloaded, before those that are: but for the runtime of AddressSanitizer, which
 * insists on being the first. Returns RF_OK or RF_ERR_NO_MEMORY. */
int program_env_preload(struct program_env *env, const char *path);

void program_env_unset(struct program_env *env, const char *name);

/* The value of a variable, or NULL. */
const char *program_env_get(const struct program_env *env, const char *name);

/* Finds a program as a shell would: along the PATH of env, or of ours where env has none. Returns
 * 0, CLI_APP_NOT_FOUND or CLI_APP_NOT_EXECUTABLE. */
int program_find(const char *name, const struct program_env *env, char *path, size_t size,
                 struct rf_err *err);

struct cli_terminal;

/* A child that waits to execute the program: its pid is known before the output's name is settled,
 * and it has the signal state that we were started with. */
struct program {
    struct cli_terminal
        *terminal; /* the program's own; NULL: it shares ours. Set before program_prepare() */
    pid_t pid;
    int go_fd;    /* write end: the session directory; closing it ends the child */
    int error_fd; /* read end: the errno of a failed exec; end of file when it succeeded */
};

int program_prepare(struct program *program, const char *path, char **argv,
                    const struct program_env *env, struct rf_err *err);

/* Lets the child execute the program. session_dir: for RANGEFINDER_SESSION; "": not set. Returns 0,
 * or the errno of the exec. */
int program_start(struct program *program, const char *session_dir);

/* Ends a child that was not started. */
void program_cancel(struct program *program);

/* How the program ended. */
struct program_ending {
    bool is_known; /* false: its status was collected by something else */
    int status;    /* of waitpid() */
};

struct program_watch_hooks {
    void *context;
    void (*on_root_end)(void *context, const struct program_ending *ending);
    void (*on_lingering)(
        void *context); /* it ended two seconds ago, and processes that it started still run */
};

/* Takes over the signals that end programs: they are handled by program_watch() and otherwise
 * wait. To be called after prepare. */
void program_hold_signals(bool adopts_orphans);

/* Waits for the program, and with waits_for_all for all processes that it leaves behind. Signals
 * sent only to us are passed on to it; those of the terminal reach it anyway, or are passed on to
 * its own terminal. When a program with its own terminal stops (Ctrl-Z), so do we. After the
 * program's end a signal ends the waiting. */
void program_watch(const struct program *program, bool waits_for_all,
                   const struct program_watch_hooks *hooks, struct program_ending *ending);

/* The exit status for an ending: the program's own, or 128 + signal. */
int program_ending_status(const struct program_ending *ending);

#endif
