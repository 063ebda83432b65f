/* SPDX-License-Identifier: Apache-2.0 */
/* What launches of kernels add up to by thread, device, function and kernel, where neither calls
 * nor kernels are kept: their durations, which few launches have in common, in some ten bytes.
 * Where there are many launches, the durations of those that are alike become a histogram. */
#ifndef RF_MODEL_SUMS_LAUNCH_SUMS_H
#define RF_MODEL_SUMS_LAUNCH_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/sums/range_sums.h"
#include "model/sums/value_list.h"
#include "model/sums/work_sums.h"

enum rf_launch_part { RF_LAUNCH_TOTAL, RF_LAUNCH_CALL, RF_LAUNCH_QUEUE, RF_LAUNCH_KERNEL };
#define RF_LAUNCH_PARTS 4

/* The durations of a launch. */
struct rf_launch_times {
    uint64_t ns[RF_LAUNCH_PARTS];
    bool is_queued; /* the kernel began after the call had ended; false: there is no QUEUE */
};

/* Of a call and the kernel that it caused. */
struct rf_launch_times rf_launch_times(int64_t call_start_ns, int64_t call_end_ns, int64_t start_ns,
                                       int64_t end_ns);

struct rf_launch_key {
    uint32_t thread; /* index */
    uint32_t device;
    uint32_t function; /* string */
    uint32_t kernel;   /* string of the mangled name */
};

/* How many launches keep their durations; and of those that are alike, then. */
#define RF_LISTED_LAUNCHES ((uint64_t)1 << 20)
#define RF_LISTED_ALIKE    ((uint64_t)1 << 10)

struct rf_launch_sum {
    struct rf_launch_key key;
    struct rf_work_sum kernel; /* its names alone */
    struct rf_value_list values[RF_LAUNCH_PARTS];
    uint32_t folded[RF_LAUNCH_PARTS]; /* 1 + index in rf_launch_sums.folded; 0: values has all */
};

/* All zero: empty. */
struct rf_launch_sums {
    struct rf_launch_sum *sum; /* in the order in which they were met */
    size_t n, room;
    struct rf_map index; /* of a key */
    uint64_t n_launches;
    struct rf_sums folded; /* keys are the index of the sum, and the part for a name */
};

/* The sum of a key, a new one if need be; valid until the next is added. NULL: out of memory. */
struct rf_launch_sum *rf_launch_sums_find(struct rf_launch_sums *sums,
                                          const struct rf_launch_key *key);

/* false: out of memory. */
bool rf_launch_sum_add(struct rf_launch_sums *sums, struct rf_launch_sum *sum,
                       const struct rf_launch_times *times);

/* Frees all. */
void rf_launch_sums_release(struct rf_launch_sums *sums);

#endif
