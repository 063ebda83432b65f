/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile` that say what is recorded: -t and those of CUDA. */
#ifndef RF_CLI_PROFILE_TRACE_OPTIONS_H
#define RF_CLI_PROFILE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_parser;
struct profile_options;

/* Which calls of the program are recorded. */
struct trace_options {
    const char *given; /* -t, as given; NULL: the default, cuda,nvtx */
    bool has_nvtx;
    bool has_cuda;
    bool is_cuda_explicit;  /* -t names it: it is an error where it cannot be recorded */
    bool asks_whole_graphs; /* --cuda-graph-trace=graph is given */
    uint32_t cuda;          /* RF_CUDA_GRAPH_NODES and others */
    uint32_t cuda_flush_ms; /* 0: the recorder's default */
};

/* Applies -t or one of the options of CUDA. Returns CLI_OK, or CLI_USAGE after a message. */
int trace_option(struct profile_options *options, const struct cli_parser *parser);

/* After all options: sets config to what is recorded. */
void trace_check(struct profile_options *options);

/* After focus_check(): notes what is not recorded in captures. */
void trace_check_captures(struct profile_options *options);

/* Prints the values of -t. */
void trace_say_values(void);

#endif
