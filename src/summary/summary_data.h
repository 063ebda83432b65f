/* SPDX-License-Identifier: Apache-2.0 */
/* A summary in memory: inputs, paths of names, and a row for each input, path and kind. */
#ifndef RF_SUMMARY_SUMMARY_DATA_H
#define RF_SUMMARY_SUMMARY_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/strings.h"
#include "rangefinder/summary.h"
#include "summary/collectives_data.h"
#include "summary/counter_ranges_data.h"
#include "summary/counters_data.h"
#include "summary/identities.h"
#include "summary/row_data.h"
#include "summary/settings_data.h"
#include "summary/summary_texts.h"
#include "summary/tallies/tallies_data.h"

/* What is summed up. The names are those of the file's column kind. */
#define RF_SUMMARY_KINDS(X)                                                                        \
    X(PUSH_POP, "push_pop")                                                                        \
    X(START_END, "start_end")                                                                      \
    X(CUDA_CALL, "cuda_call")                                                                      \
    X(OS_CALL, "os_call")                                                                          \
    X(KERNEL, "kernel")                                                                            \
    X(MEMORY, "memory")                                                                            \
    X(MEMORY_BYTES, "memory_bytes")

enum rf_summary_kind {
#define KIND(symbol, name) RF_SUMMARY_##symbol,
    RF_SUMMARY_KINDS(KIND)
#undef KIND
        RF_SUMMARY_N_KINDS
};

/* A name and the paths around it. */
struct rf_summary_path {
    uint32_t parent; /* an earlier one, or RF_NO_INDEX */
    uint32_t domain; /* string; RF_NO_STRING: a domain without a name, or no range */
    uint32_t name;   /* string; RF_NO_STRING: none; RF_REST_OF_NAMES */
};

/* A step of a thread (steps.h), and the ranges of a path directly inside it. */
struct rf_summary_step {
    uint32_t input, path;
    uint32_t host; /* string */
    uint32_t pid, tid;
    int64_t rank;    /* of the process; -1: unknown */
    uint64_t number; /* among the steps of its thread in its recording, from 1 */
    int64_t start_utc_ns;
    uint64_t duration, busy, wait;
    uint64_t self;     /* 0 without has_children */
    bool has_children; /* they were looked for */
    uint32_t cut;      /* as in struct rf_step */
    size_t first_child, n_children;
    size_t first_gpu, n_gpus;
};

struct rf_summary_step_child {
    uint32_t path;
    uint64_t n, total; /* below 2^63 */
};

#define RF_SUMMARY_MOMENTS 7 /* kinds of them, in the order of the file's columns */

/* What a GPU did in a step. */
struct rf_summary_step_gpu {
    uint32_t gpu;                    /* id */
    uint64_t ns[RF_SUMMARY_MOMENTS]; /* they add up to the duration of the step */
};

#define RF_SUMMARY_RECENT 64u

struct rf_summary {
    struct rf_strings strings;
    struct rf_summary_input *input; /* their texts are in strings */
    size_t n_inputs, input_room;
    bool are_ranked_by_path; /* none had a rank */
    struct rf_summary_path *path;
    size_t n_paths, path_room;
    struct rf_map path_of; /* (parent, domain), name -> path */
    struct rf_summary_row *row;
    size_t n_rows, row_room;
    struct rf_map row_of;                   /* (input, path), kind -> row */
    uint32_t recent_row[RF_SUMMARY_RECENT]; /* rows that were found last; any number is right */
    struct rf_summary_step *step;
    size_t n_steps, step_room;
    struct rf_summary_step_child *step_child;
    size_t n_step_children, step_child_room;
    struct rf_summary_step_gpu *step_gpu;
    size_t n_step_gpus, step_gpu_room;
    size_t *last_child; /* by path: 1 more than the last child of it; 0: none */
    size_t last_child_room;
    struct rf_summary_identities identities;
    struct rf_summary_collectives collectives;
    struct rf_summary_counters counters;
    struct rf_counter_ranges counter_ranges;
    struct rf_summary_settings settings;
    struct rf_tallies tallies;
};

void rf_summary_init(rf_summary *summary);
void rf_summary_release(rf_summary *summary);

const char *rf_summary_kind_name(uint32_t kind);

/* The path of a name under another one, a new one if need be; RF_NO_INDEX: out of memory. */
uint32_t rf_summary_path(rf_summary *summary, uint32_t parent, uint32_t domain, uint32_t name);

/* A row, an empty one if need be; NULL: out of memory. */
struct rf_summary_row *rf_summary_row(rf_summary *summary, uint32_t input, uint32_t path,
                                      uint32_t kind);

/* Adds an input, whose texts are copied, without its identities; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_add_input(rf_summary *summary, const struct rf_summary_input *input);

/* What goes to another summary. */
struct rf_absorb_choice {
    const bool *is_kept; /* by path, whether it is to have a row of its own; NULL: all */
    const char *ranks;   /* inputs of these ranks alone; NULL: all */
};

/* Adds the inputs of another summary that this one has not. choice: NULL for all. RF_ERR_EXISTS:
 * some were there. */
int rf_summary_absorb(rf_summary *to, const rf_summary *from, const struct rf_absorb_choice *choice,
                      struct rf_err *err);

/* The text of an error that the functions above return. */
int rf_summary_fail(int status, const char *path, struct rf_err *err);

#endif
