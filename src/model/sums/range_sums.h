/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges of one domain, name and kind add up to. Integers alone: the sums of parts add up to
 * the sum of the whole in any order, bit by bit. */
#ifndef RF_MODEL_SUMS_RANGE_SUMS_H
#define RF_MODEL_SUMS_RANGE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Durations are counted in buckets. Those below 2^7 ns each have their own; from there on every
 * power of two has 2^7, so that the middle of a bucket is at most 1/256 from its durations. */
#define RF_SUM_BITS    7
#define RF_SUM_STEPS   (1u << RF_SUM_BITS)
#define RF_SUM_OCTAVES (65 - RF_SUM_BITS)

/* The bucket of a value, below RF_SUM_OCTAVES * RF_SUM_STEPS, and the middle of a bucket. */
uint32_t rf_bucket_of(uint64_t value);
uint64_t rf_bucket_middle(uint32_t bucket);

struct rf_sum_key {
    uint32_t domain, name, kind;
    uint32_t around; /* 1 + index of the sum of the range around; 0: none, or it does not matter.
                      * Where ranges are grouped by values: 1 + string of the value; 0: none */
};

/* The first range of a sum, where it matters: threads in the order of a recording. */
struct rf_sum_first {
    uint32_t process, serial, tid;
    uint64_t number; /* grows from range to range of a thread; 0: it does not matter */
};

/* A thread: the index of its process, and what rf_thread says. */
struct rf_sum_owner {
    uint32_t process, tid, serial;
};

/* Where the shortest or longest range is: of several the first, by time, then by thread. */
struct rf_sum_place {
    uint64_t duration_ns;
    int64_t start_ns;
    struct rf_sum_owner owner;
};

struct rf_sum {
    struct rf_sum_key key;
    uint64_t n;
    unsigned __int128 total_ns, squares; /* squares stop at their largest value */
    unsigned __int128 self_ns; /* where ranges inside are told apart: what none of them covers */
    unsigned __int128 gpu_ns;  /* likewise: of the GPU work whose call they are the innermost one
                                * around; n_gpu pieces */
    uint64_t n_gpu;
    uint64_t n_cut; /* ranges whose end, or whose begin in a capture, was not recorded */
    struct rf_sum_first first;
    struct rf_sum_place min, max;
    uint64_t *count[RF_SUM_OCTAVES]; /* RF_SUM_STEPS of them; NULL: all are 0 */
};

#define RF_SUMS_RECENT 32u /* a power of two */

/* All zero: empty. */
struct rf_sums {
    struct rf_sum *sum; /* in the order of their first ranges */
    size_t n, room;
    uint32_t *slot; /* 1 + index; n_slots is a power of two */
    size_t n_slots;
    struct {
        struct rf_sum_key key;
        uint32_t at;          /* 1 + index; 0: none */
    } recent[RF_SUMS_RECENT]; /* found last: most ranges have few names */
};

/* Adds a range. false: out of memory. */
bool rf_sums_add(struct rf_sums *sums, const struct rf_sum_key *key,
                 const struct rf_sum_place *range);

/* The index of a sum, of a new one if need be; RF_NO_INDEX: out of memory. */
uint32_t rf_sums_index(struct rf_sums *sums, const struct rf_sum_key *key);

/* Adds a range to the sum of an index. false: out of memory. */
bool rf_sums_add_at(struct rf_sums *sums, uint32_t index, const struct rf_sum_place *range);

/* Whether a range comes before another one, or the other one is none. */
static inline bool rf_sum_is_first(const struct rf_sum_first *a, const struct rf_sum_first *b)
{
    if (b->number == 0 || a->process != b->process)
        return b->number == 0 || a->process < b->process;
    if (a->serial != b->serial)
        return a->serial - 1u < b->serial - 1u; /* those without a number are last */
    return a->tid != b->tid ? a->tid < b->tid : a->number < b->number;
}

/* Adds a sum under a key of its own. false: out of memory. */
bool rf_sums_merge(struct rf_sums *sums, const struct rf_sum_key *key, const struct rf_sum *sum);

/* The duration of rank k (from 0) of n: the middle of its bucket. */
uint64_t rf_sum_rank(const struct rf_sum *sum, uint64_t k);

/* Frees all. */
void rf_sums_release(struct rf_sums *sums);

#endif
