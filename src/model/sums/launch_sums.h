/* SPDX-License-Identifier: Apache-2.0 */
/* What launches of kernels add up to by thread, device, function and kernel, where neither calls
 * nor kernels are kept: their durations, which few launches have in common, in some ten bytes. */
#ifndef RF_MODEL_SUMS_LAUNCH_SUMS_H
#define RF_MODEL_SUMS_LAUNCH_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
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

struct rf_launch_sum {
    struct rf_launch_key key;
    struct rf_work_sum kernel; /* its names alone */
    struct rf_value_list values[RF_LAUNCH_PARTS];
};

/* All zero: empty. */
struct rf_launch_sums {
    struct rf_launch_sum *sum; /* in the order in which they were met */
    size_t n, room;
    struct rf_map index; /* of a key */
};

/* The sum of a key, a new one if need be; valid until the next is added. NULL: out of memory. */
struct rf_launch_sum *rf_launch_sums_find(struct rf_launch_sums *sums,
                                          const struct rf_launch_key *key);

/* false: out of memory. */
bool rf_launch_sum_add(struct rf_launch_sum *sum, const struct rf_launch_times *times);

/* Frees all. */
void rf_launch_sums_release(struct rf_launch_sums *sums);

#endif
