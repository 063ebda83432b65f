/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a summary: what the samples of each add up to, exactly. */
#ifndef RF_SUMMARY_COUNTERS_DATA_H
#define RF_SUMMARY_COUNTERS_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sums/sample_sums.h"
#include "summary/digits.h"
#include "summary/searched.h"

struct rf_summary;

/* The names are those of the file's column kind. */
#define RF_SUMMARY_COUNTER_KINDS(X)                                                                \
    X(NVTX_COUNTER, "nvtx")                                                                        \
    X(GPU_METRIC, "gpu_metric")

enum rf_summary_counter_kind {
#define KIND(symbol, name) RF_SUMMARY_##symbol,
    RF_SUMMARY_COUNTER_KINDS(KIND)
#undef KIND
        RF_SUMMARY_N_COUNTER_KINDS
};

/* Everything before the figures tells counters apart. */
struct rf_summary_counter {
    uint32_t input;
    uint32_t kind;                    /* enum rf_summary_counter_kind */
    uint32_t domain, name, unit;      /* strings of the summary; RF_NO_STRING: none */
    uint32_t number, value_type;      /* enum rf_counter_number, enum rf_counter_value_type */
    double factor;                    /* a value times this is in the unit */
    int64_t pid, tid, device;         /* -1: several, or none */
    struct rf_sample_figures figures; /* last_ns is UTC */
    struct rf_digit_range sum;        /* of its values */
};

/* All zero: none. */
struct rf_summary_counters {
    struct rf_summary_counter *item;
    size_t n, room;
    struct rf_summary_digits digits;
    struct rf_searched_inputs searched; /* left out: counters behind the first ones */
};

const char *rf_summary_counter_kind_name(uint32_t kind);

/* Adds one, whose sum is settled; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_counter_add(struct rf_summary *summary, const struct rf_summary_counter *counter,
                           const struct rf_exact_sum *total);

/* The sum of its values, settled. */
void rf_summary_counter_total(const struct rf_summary *summary,
                              const struct rf_summary_counter *counter, struct rf_exact_sum *total);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. is_merged: processes, threads and GPUs are not told apart any more. RF_OK,
 * RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a number is too large. */
int rf_summary_counters_absorb(struct rf_summary *to, const struct rf_summary *from,
                               const uint32_t *input, bool is_merged);

/* Puts them into the order of a file, which is the same for every order of adding, and adds up
 * those that nothing tells apart; likewise. */
int rf_summary_counters_join(struct rf_summary *summary);

void rf_summary_counters_release(struct rf_summary_counters *counters);

#endif
