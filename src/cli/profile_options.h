/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` is asked to do. */
#ifndef RF_CLI_PROFILE_OPTIONS_H
#define RF_CLI_PROFILE_OPTIONS_H

#include "cli/command.h"
#include "cli/session_dir.h"

struct profile_options {
    const char *output; /* pattern of the name */
    char **env;         /* NAME=VALUE, owned */
    size_t n_env;
    char **exports; /* formats, owned */
    size_t n_exports;
    char **app;     /* the program and its arguments; ends with NULL */
    char *not_done; /* what was asked for and is not recorded, separated by ", "; NULL: nothing */
    int can_overwrite;
    int inherits_env;
    int shows_stats;
    int waits_for_all;
    int is_quiet;
    int records; /* 0: --trace=none */
    struct cli_session_config config;
};

/* What an option of the table means. */
enum profile_option {
    PROFILE_OUTPUT = 1,
    PROFILE_FORCE,
    PROFILE_TRACE,
    PROFILE_ENV,
    PROFILE_INHERIT,
    PROFILE_INCLUDE,
    PROFILE_EXCLUDE,
    PROFILE_WAIT,
    PROFILE_OVERFLOW,
    PROFILE_STATS,
    PROFILE_EXPORT,
    PROFILE_QUIET,
    PROFILE_STOP_ON_EXIT,
    PROFILE_SHOW_OUTPUT,
    PROFILE_ACCEPTED,
    PROFILE_IGNORED,
    PROFILE_REFUSED,
};

extern const struct cli_option profile_option_table[];

/* Reads the command line. Returns 0, or -1 when the verb is to return *status: help was printed, or
 * what is wrong was said. */
int profile_options_parse(struct profile_options *options, const struct cli_command *command,
                          int argc, char **argv, int *status);

/* Harmless on a zeroed struct. */
void profile_options_release(struct profile_options *options);

#endif
