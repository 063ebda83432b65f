/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` is asked to do. */
#ifndef RF_CLI_PROFILE_PROFILE_OPTIONS_H
#define RF_CLI_PROFILE_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/trace_options.h"
#include "session/session_dir.h"

struct cli_command;
struct cli_words;

struct profile_options {
    const char *output; /* pattern of the name */
    char **env;         /* NAME=VALUE, owned */
    size_t n_env;
    char **exports; /* formats, owned */
    size_t n_exports;
    char **app;     /* the program and its arguments; ends with NULL */
    char *not_done; /* what was asked for and is not recorded, separated by ", "; NULL: nothing */
    char *without_effect;     /* options that set up what is not recorded, likewise */
    struct cli_words **files; /* of --command-file, owned; values of options stand in them */
    size_t n_files;
    bool can_overwrite;
    bool inherits_env;
    bool shows_stats;
    bool waits_for_all;
    bool is_quiet;
    bool records; /* false: --trace=none */
    struct trace_options trace;
    struct focus_options focus;
    struct gpu_metrics_options metrics;
    const char *session_name;     /* --session-new; NULL: a name is made */
    unsigned pytorch;             /* enum cli_pytorch */
    const char *python_functions; /* --python-functions-trace; NULL: none */
    struct session_dir_config config;
};

/* Reads the command line of `profile`, or with is_launch of `launch`. Returns 0, or -1 when the
 * verb is to return *status: help was printed, or what is wrong was said. */
int profile_options_parse(struct profile_options *options, const struct cli_command *command,
                          bool is_launch, int argc, char **argv, int *status);

/* Harmless on a zeroed struct. */
void profile_options_release(struct profile_options *options);

#endif
