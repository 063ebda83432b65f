/* SPDX-License-Identifier: Apache-2.0 */
/* What a summary has for reports that paths of names are not enough for: tallies of several kinds.
 * One is told apart from others of its kind by names and numbers, and has what values add up to,
 * and further sums. */
#ifndef RF_SUMMARY_TALLIES_TALLIES_DATA_H
#define RF_SUMMARY_TALLIES_TALLIES_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "summary/row_data.h"
#include "summary/searched.h"

struct rf_summary;

/* The kinds, their names in files, another kind that has the same keys: of both those are kept that
 * are most of that one (of RANGE_METRIC it is without the detail, the metric); and what each costs,
 * by which fewer are kept. docs/summaries.md has what stands in each. */
#define RF_TALLY_KINDS(X)                                                                          \
    X(RANGE_GPU, "range_gpu", RANGE_GPU, 1)                                                        \
    X(COVERAGE, "coverage", COVERAGE, 1)                                                           \
    X(ENDED_ELSEWHERE, "ended_elsewhere", ENDED_ELSEWHERE, 1)                                      \
    X(RANGE_KERNEL, "range_kernel", RANGE_KERNEL, 1)                                               \
    X(KERNEL_COVERAGE, "kernel_coverage", KERNEL_COVERAGE, 1)                                      \
    X(KERNEL_SHAPE, "kernel_shape", KERNEL_SHAPE, 1)                                               \
    X(LAUNCH, "launch", LAUNCH, 5)                                                                 \
    X(LAUNCH_CALL, "launch_call", LAUNCH, 5)                                                       \
    X(LAUNCH_QUEUE, "launch_queue", LAUNCH, 5)                                                     \
    X(LAUNCH_KERNEL, "launch_kernel", LAUNCH, 5)                                                   \
    X(LATENCY, "latency", LATENCY, 5)                                                              \
    X(LATENCY_QUEUE, "latency_queue", LATENCY, 5)                                                  \
    X(LATENCY_DEPTH, "latency_depth", LATENCY, 5)                                                  \
    X(LAUNCH_UNKNOWN, "launch_unknown", LAUNCH_UNKNOWN, 1)                                         \
    X(LAUNCH_EARLY, "launch_early", LAUNCH_EARLY, 1)                                               \
    X(GPU_TIME, "gpu_time", GPU_TIME, 0)                                                           \
    X(STEP_GPU, "step_gpu", STEP_GPU, 1)                                                           \
    X(RANGE_SAMPLED, "range_sampled", RANGE_SAMPLED, 5)                                            \
    X(RANGE_METRIC, "range_metric", RANGE_SAMPLED, 5)                                              \
    X(RANGE_COUNTER, "range_counter", RANGE_COUNTER, 1)                                            \
    X(WAITED, "waited", WAITED, 1)                                                                 \
    X(WAITS, "waits", WAITS, 1)                                                                    \
    X(WAITS_RECORDED, "waits_recorded", WAITS_RECORDED, 1)                                         \
    X(WAITS_CUT, "waits_cut", WAITS_CUT, 1)                                                        \
    X(MPI, "mpi", MPI, 1)                                                                          \
    X(MPI_BYTES, "mpi_bytes", MPI_BYTES, 1)                                                        \
    X(OPENACC, "openacc", OPENACC, 1)                                                              \
    X(OPENMP, "openmp", OPENMP, 1)                                                                 \
    X(SYSCALL, "syscall", SYSCALL, 1)                                                              \
    X(PAGES, "pages", PAGES, 1)                                                                    \
    X(CPU_FAULT, "cpu_page_fault", CPU_FAULT, 1)

enum rf_tally_kind {
#define KIND(symbol, name, leader, costs) RF_TALLY_##symbol,
    RF_TALLY_KINDS(KIND)
#undef KIND
        RF_TALLY_N_KINDS
};

/* Strings are the summary's; RF_NO_STRING: there is none. */
struct rf_tally_key {
    uint32_t input, kind;
    uint32_t domain, name; /* name: RF_REST_OF_NAMES: of all that were not kept */
    uint32_t style, detail;
    int64_t pid, tid, device; /* below UINT32_MAX; -1: none, or of several */
};

#define RF_TALLY_NO_KEY                                                                            \
    {                                                                                              \
        .domain = RF_NO_STRING, .name = RF_NO_STRING, .style = RF_NO_STRING,                       \
        .detail = RF_NO_STRING, .pid = -1, .tid = -1, .device = -1                                 \
    }

#define RF_TALLY_SUMS 4

struct rf_tally {
    struct rf_tally_key key;
    struct rf_summary_row values; /* they have no places; n is 0 where the kind has no values */
    uint64_t sum[RF_TALLY_SUMS];  /* below 2^63 */
};

#define RF_TALLIES_RECENT 64u

/* All zero: none. */
struct rf_tallies {
    struct rf_tally *item;
    size_t n, room;
    uint32_t *place;                    /* by hash: the number of an item, from 1; 0: free */
    size_t n_places;                    /* 0 or a power of two */
    uint64_t seed;                      /* of the hash: keys come from files */
    uint32_t recent[RF_TALLIES_RECENT]; /* items that were found last; any number is right */
    struct rf_searched_inputs searched[RF_TALLY_N_KINDS]; /* left out: those without a tally of
                                                           * their own */
};

const char *rf_tally_kind_name(uint32_t kind);

/* Kinds of which there are many values, and few equal ones. Where a file would become too large
 * their histograms are made coarser; medians are at most 4 % off then. */
#define RF_TALLY_COARSE_BITS 3
bool rf_tally_may_be_coarse(uint32_t kind);

/* The tally of a key, an empty one if need be; valid until the next is added. NULL: out of memory.
 */
struct rf_tally *rf_tally_of(struct rf_tallies *all, const struct rf_tally_key *key);

/* The same, where it is there; NULL. */
const struct rf_tally *rf_tally_find(const struct rf_tallies *all, const struct rf_tally_key *key);

/* Adds to one of the sums; RF_OK, or RF_ERR_UNSUPPORTED where it is too large. */
int rf_tally_add_sum(struct rf_tally *tally, unsigned i, uint64_t value);

/* Adds what another one has; likewise, or RF_ERR_NO_MEMORY. */
int rf_tally_merge(struct rf_tally *tally, const struct rf_tally *from);

/* Says that the recording of an input was searched for a kind. RF_OK or RF_ERR_NO_MEMORY. */
int rf_tallies_search(struct rf_tallies *all, uint32_t input, uint32_t kind);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. is_merged: processes, threads and GPUs are not told apart any more. As
 * rf_tally_merge(). */
int rf_summary_tallies_absorb(struct rf_summary *to, const struct rf_summary *from,
                              const uint32_t *input, bool is_merged);

/* Keeps the most of each kind of a summary of one input; the others become one per domain and
 * style. Tallies before the one with number first, of other kinds, stay as they are. As
 * rf_tally_merge(). */
int rf_summary_tallies_limit(struct rf_summary *summary, size_t first, size_t most);

/* Puts them into the order of a file, which is the same for every order of adding. None can be
 * added any more. */
void rf_summary_tallies_sort(struct rf_summary *summary);

void rf_summary_tallies_release(struct rf_tallies *all);

#endif
