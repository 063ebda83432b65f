/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` is asked to do. */
#ifndef RF_CLI_PROFILE_PROFILE_OPTIONS_H
#define RF_CLI_PROFILE_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/profile/chain_option.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/trace_options.h"
#include "cli/ring/ring_options.h"
#include "cli/split/split_options.h"
#include "session/session_dir.h"

struct cli_command;
struct cli_words;
struct run_facts;

struct profile_options {
    const char *output;  /* pattern of the name */
    const char *ranks;   /* --ranks; NULL: all */
    bool is_rank_wanted; /* this process is one of them */
    char **env;          /* NAME=VALUE, owned */
    size_t n_env, env_room;
    char **exports; /* formats, owned */
    size_t n_exports, export_room;
    char **app;           /* the program and its arguments; ends with NULL */
    char *not_done;       /* requested data that is not recorded, separated by ", "; NULL: none */
    char *without_effect; /* options that configure data that is not recorded, likewise */
    struct cli_words **files; /* of --command-file, owned; option values point into them */
    size_t n_files, file_room;
    const char *summary_json; /* pattern of a name; NULL: not asked for */
    struct run_facts *facts;  /* what is written there is collected here; NULL likewise */
    bool can_overwrite;
    bool inherits_env;
    bool shows_stats;
    bool waits_for_all;
    bool is_quiet;
    bool records; /* false: --trace=none */
    struct trace_options trace;
    struct chain_options chain;
    struct focus_options focus;
    struct gpu_metrics_options metrics;
    struct ring_options ring;
    struct split_options split;
    const char *session_name;     /* --session-new; NULL: a generated name */
    unsigned pytorch;             /* enum cli_pytorch */
    const char *python_functions; /* --python-functions-trace; NULL: none */
    struct session_dir_config config;
};

/* Reads the command line of `profile`, or with is_launch of `launch`. Returns 0, or -1 when the
 * verb is to return *status: after help or a message. */
int profile_options_parse(struct profile_options *options, const struct cli_command *command,
                          bool is_launch, int argc, char **argv, int *status);

/* Harmless on a zeroed struct. */
void profile_options_release(struct profile_options *options);

#endif
