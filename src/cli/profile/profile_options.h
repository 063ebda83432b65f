/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` is asked to do. */
#ifndef RF_CLI_PROFILE_PROFILE_OPTIONS_H
#define RF_CLI_PROFILE_PROFILE_OPTIONS_H

#include "cli/command.h"
#include "cli/terminal/hotkey.h"
#include "session/session_dir.h"
#include "rangefinder/pm_sampling.h"

struct cli_parser;

/* What happens when a capture has ended. */
enum focus_end {
    FOCUS_END_STOP = 0, /* the program runs on, unrecorded */
    FOCUS_END_NONE,     /* captures do not end before the program */
    FOCUS_END_REPEAT,   /* the next one is waited for */
};

#define FOCUS_KILL_DEFAULT (-1) /* no --kill was given */

/* Which part of the run is wanted; zeroed but for keeps_open: all of it. */
struct focus_options {
    uint32_t triggers;   /* enum rf_trigger */
    const char *message; /* -p, as given; NULL: none */
    int has_key;         /* -c hotkey */
    const char *keys;    /* --hotkey-capture; NULL: the default keys */
    struct hotkey_set key_set;
    int64_t delay_ns;    /* 0: none */
    int64_t duration_ns; /* 0: none */
    int starts_by_hand;  /* --start-later, or `launch` */
    int is_launch;       /* `launch`: any number of captures */
    enum focus_end end;
    int has_end;         /* --capture-range-end was given */
    uint32_t n_captures; /* of repeat; 0: any number */
    int shuts_down;      /* the program is ended after the last capture */
    int kill_signal;     /* 0: none; FOCUS_KILL_DEFAULT */
    int keeps_open;
    int takes_unregistered;
};

/* What of the program's calls is recorded. */
struct trace_options {
    const char *given; /* -t, as given; NULL: the default, cuda,nvtx */
    int has_nvtx;
    int has_cuda;
    int is_cuda_explicit;   /* -t names it: that it cannot be recorded is an error */
    uint32_t cuda;          /* RF_CUDA_GRAPH_NODES and others */
    uint32_t cuda_flush_ms; /* 0: when the recorder thinks */
};

#define METRICS_MAX_DEVICES 64

/* Which GPUs are sampled. */
struct metrics_options {
    const char *devices; /* as given; NULL: not at all */
    int is_wanted;
    int is_all;
    uint32_t device[METRICS_MAX_DEVICES]; /* as CUDA numbers them */
    size_t n_devices;
    const struct rf_pm_set *set; /* NULL: that of the chip */
    uint32_t hz;
};

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
    int can_overwrite;
    int inherits_env;
    int shows_stats;
    int waits_for_all;
    int is_quiet;
    int records; /* 0: --trace=none */
    struct trace_options trace;
    struct focus_options focus;
    struct metrics_options metrics;
    const char *session_name;     /* --session-new; NULL: a name is made */
    unsigned pytorch;             /* enum cli_pytorch */
    const char *python_functions; /* --python-functions-trace; NULL: none */
    struct session_dir_config config;
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
    PROFILE_CAPTURE_RANGE,
    PROFILE_CAPTURE_END,
    PROFILE_NVTX_CAPTURE,
    PROFILE_UNREGISTERED,
    PROFILE_KEEP_OPEN,
    PROFILE_DELAY,
    PROFILE_DURATION,
    PROFILE_HOTKEY,
    PROFILE_KILL,
    PROFILE_START_LATER,
    PROFILE_SESSION_NEW,
    PROFILE_PYTORCH,
    PROFILE_PYTHON_FUNCTIONS,
    PROFILE_CUDA_GRAPHS,
    PROFILE_CUDA_MEMORY,
    PROFILE_CUDA_EVENTS,
    PROFILE_CUDA_FLUSH,
    PROFILE_CUDA_ALL_APIS,
    PROFILE_GPU_DEVICES,
    PROFILE_GPU_SET,
    PROFILE_GPU_FREQUENCY,
    PROFILE_COMMAND_FILE,
    PROFILE_ACCEPTED,
    PROFILE_IGNORED,
    PROFILE_REFUSED,
};

extern const struct cli_option profile_option_table[];

/* The value of an option that is a decimal number of seconds. Returns CLI_OK, or CLI_USAGE after a
 * message. */
int focus_parse_seconds(int64_t *ns, const struct cli_parser *parser);

/* The number of a signal by name (sigterm, TERM) or number; -1: there is none. */
int cli_parse_signal(const char *text);

/* Whether only a part of the run is wanted. */
int focus_is_on(const struct focus_options *focus);

/* Whether there may be several captures: NAME.1.rf, NAME.2.rf, ... */
int focus_makes_many(const struct profile_options *options);

/* Takes one of the options that pick a part of the run; and, when all are there, checks that they
 * fit together and fills config->capture. Return CLI_OK, or CLI_USAGE after a message. */
int focus_option(struct focus_options *focus, const struct cli_parser *parser);
int focus_check(struct profile_options *options, const struct cli_command *command);

/* Takes -t or one of the options of CUDA. Returns CLI_OK, or CLI_USAGE after a message. */
int trace_option(struct profile_options *options, const struct cli_parser *parser);

/* Rows of a table: the options of GPU metrics. `what` and `help` are of --gpu-metrics-devices. */
#define METRICS_OPTIONS(what, help)                                                                \
    {PROFILE_GPU_DEVICES, '\0', "gpu-metrics-devices", CLI_ARG_VALUE, what, help, NULL},           \
        {PROFILE_GPU_DEVICES, '\0', "gpu-metrics-device", CLI_ARG_VALUE, NULL, NULL, NULL},        \
        {PROFILE_GPU_SET,                                                                          \
         '\0',                                                                                     \
         "gpu-metrics-set",                                                                        \
         CLI_ARG_VALUE,                                                                            \
         "NAME",                                                                                   \
         "What is sampled: a set of metrics ('rangefinder gpu-metrics --sets' lists them). "       \
         "Default: that of the GPU's chip.",                                                       \
         NULL},                                                                                    \
    {                                                                                              \
        PROFILE_GPU_FREQUENCY, '\0', "gpu-metrics-frequency", CLI_ARG_VALUE, "HZ",                 \
            "Samples in a second, 10 to 200000. Default: 10000.", NULL                             \
    }

/* No GPU is sampled. */
void metrics_options_init(struct metrics_options *metrics);

/* Takes one of the options of GPU metrics. Returns CLI_OK, or CLI_USAGE after a message. */
int metrics_option(struct metrics_options *metrics, const struct cli_parser *parser);

/* The set whose name is nearest to one that there is not; NULL: none is near. */
const char *metrics_nearest_set(const char *name);

/* Prints what -t can be given. */
void trace_say_values(void);

/* When all options are there: fills config with what is recorded. */
void trace_check(struct profile_options *options);

/* Adds to what a line says is not recorded. */
void profile_note_not_done(struct profile_options *options, const char *what);

/* Prints what an option can be given. 0: anything, `help` is a value like others. */
int profile_say_values(const struct cli_option *option);

/* Reads the command line of `profile`, or with is_launch of `launch`. Returns 0, or -1 when the
 * verb is to return *status: help was printed, or what is wrong was said. */
int profile_options_parse(struct profile_options *options, const struct cli_command *command,
                          int is_launch, int argc, char **argv, int *status);

/* Harmless on a zeroed struct. */
void profile_options_release(struct profile_options *options);

/* Runs `profile`, or with is_launch `launch`. */
int profile_main(const struct cli_command *command, int argc, char **argv, int is_launch);

#endif
