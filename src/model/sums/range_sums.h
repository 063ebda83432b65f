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

/* ---- The rare ways ---- */

/* The index of a sum that was not found last. Members of its key: so that it is not in memory where
 * it was. */
uint32_t rf_sums_find_rare(struct rf_sums *sums, uint32_t domain, uint32_t name, uint32_t kind,
                           uint32_t around);

/* NULL: out of memory. */
uint64_t *rf_sum_make_octave(struct rf_sum *sum, unsigned octave);

/* A range may be the shortest or the longest one, or the first of these. */
void rf_sum_take_place(struct rf_sum *sum, struct rf_sum_place range);

/* ---- The usual ones ---- */

static inline bool rf_sum_key_is_same(const struct rf_sum_key *a, const struct rf_sum_key *b)
{
    return a->name == b->name && a->domain == b->domain && a->kind == b->kind &&
           a->around == b->around;
}

/* Where in rf_sums.recent a key stands. */
static inline uint32_t rf_sums_recent(const struct rf_sum_key *key)
{
    return (key->name + 5 * key->around + key->kind) & (RF_SUMS_RECENT - 1);
}

/* The index of a sum, of a new one if need be; RF_NO_INDEX: out of memory. */
static inline uint32_t rf_sums_index(struct rf_sums *sums, const struct rf_sum_key *key)
{
    const uint32_t recent = rf_sums_recent(key), at = sums->recent[recent].at;
    if (at != 0 && rf_sum_key_is_same(&sums->recent[recent].key, key))
        return at - 1;
    return rf_sums_find_rare(sums, key->domain, key->name, key->kind, key->around);
}

static inline unsigned rf_octave_of(uint64_t ns)
{
    return ns < RF_SUM_STEPS ? 0 : 64u - RF_SUM_BITS - (unsigned)__builtin_clzll(ns);
}

/* Durations of the first two octaves have a bucket each. */
static inline unsigned rf_step_of(uint64_t ns, unsigned octave)
{
    return (unsigned)(ns >> (octave > 0 ? octave - 1 : 0)) & (RF_SUM_STEPS - 1);
}

/* In halves: an addition of 128 bits takes more steps and registers. */
static inline void rf_sum_add_ns(unsigned __int128 *sum, uint64_t ns)
{
    uint64_t low = (uint64_t)*sum, high = (uint64_t)(*sum >> 64);
    high += __builtin_add_overflow(low, ns, &low);
    *sum = (unsigned __int128)high << 64 | low;
}

static inline void rf_sum_add_squares(struct rf_sum *sum, unsigned __int128 squares)
{
    if (__builtin_add_overflow(sum->squares, squares, &sum->squares))
        sum->squares = ~(unsigned __int128)0;
}

/* Adds a range to the sum of an index. false: out of memory. */
static inline bool rf_sums_add_at(struct rf_sums *sums, uint32_t index,
                                  const struct rf_sum_place *range)
{
    struct rf_sum *sum = &sums->sum[index];
    const uint64_t ns = range->duration_ns;
    const unsigned octave = rf_octave_of(ns);
    uint64_t *count = sum->count[octave];
    if (count == NULL && (count = rf_sum_make_octave(sum, octave)) == NULL)
        return false;
    count[rf_step_of(ns, octave)]++;
    if (ns <= sum->min.duration_ns || ns >= sum->max.duration_ns) /* so is the first one */
        rf_sum_take_place(sum, *range);
    sum->n++;
    rf_sum_add_ns(&sum->total_ns, ns);
    rf_sum_add_squares(sum, (unsigned __int128)ns * ns);
    return true;
}

/* Adds a range. false: out of memory. */
static inline bool rf_sums_add(struct rf_sums *sums, const struct rf_sum_key *key,
                               const struct rf_sum_place *range)
{
    const uint32_t index = rf_sums_index(sums, key);
    return index != RF_NO_INDEX && rf_sums_add_at(sums, index, range);
}

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
