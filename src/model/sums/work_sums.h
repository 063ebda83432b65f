/* SPDX-License-Identifier: Apache-2.0 */
/* What calls of CUDA and GPU work add up to by name, where they are not kept: the sums of parts are
 * the sum of the whole in any order, and figures are as exact as those of what is kept. */
#ifndef RF_MODEL_SUMS_WORK_SUMS_H
#define RF_MODEL_SUMS_WORK_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/sums/value_counts.h"
#include "rangefinder/rangefinder.h"

enum rf_work_kind {
    RF_WORK_CALL,
    RF_WORK_KERNEL,
    RF_WORK_COPY,
    RF_WORK_SET,
    RF_WORK_COPY_BYTES,
    RF_WORK_SET_BYTES,
};

/* How reports name kernels. */
enum rf_kernel_naming { RF_NAME_DEMANGLED, RF_NAME_BASE, RF_NAME_MANGLED };

/* Of a kernel's names, strings, that which it is to have. */
static inline uint32_t rf_kernel_name_as(enum rf_kernel_naming naming, uint32_t short_name,
                                         uint32_t mangled, uint32_t label)
{
    if (naming == RF_NAME_BASE && short_name != RF_NO_STRING)
        return short_name;
    return naming == RF_NAME_MANGLED && mangled != RF_NO_STRING ? mangled : label;
}

struct rf_work_key {
    uint32_t kind;    /* enum rf_work_kind */
    uint32_t process; /* whose name it is, or 0 */
    uint32_t name;    /* calls: string of the function; kernels: of the short name; copies: as in
                       * rf_transfer.copy_kind. While records are read, as they have it */
    uint32_t mangled; /* kernels: string; else 0 */
    uint32_t shape;   /* kernels: in rf_work_sums.shape; else 0 */
};

/* The sizes of a launch. */
struct rf_work_shape {
    uint32_t grid[3], block[3];
};

#define RF_WORK_SHAPES_AT_HAND 64u /* a power of two */

struct rf_work_sum {
    struct rf_work_key key;
    uint32_t demangled;            /* kernels: string */
    struct rf_value_counts values; /* nanoseconds, or bytes */
};

/* All zero: empty. */
struct rf_work_sums {
    struct rf_work_sum *sum; /* in the order in which they were met */
    size_t n, room;
    struct rf_map index; /* of a key */
    uint64_t n_ops;      /* GPU work of any kind, likewise: */
    uint64_t met_gpus;   /* see rf_cuda_sums.met_gpus */
    unsigned met;        /* 1 << enum rf_work_kind: kinds that were met, be they added up or not */
    struct rf_work_shape *shape;
    uint32_t n_shapes;
    size_t shape_room;
    struct rf_map size_of;  /* (x and y, z) to a number */
    struct rf_map shape_of; /* (those of grid and block, 0) to shape[] */
    uint32_t n_sizes;
    uint32_t
        at_hand[RF_WORK_SHAPES_AT_HAND]; /* by hash: 1 + index of a shape that was looked for */
};

/* The sum of a key, a new one if need be; valid until the next is added. NULL: out of memory. */
struct rf_work_sum *rf_work_sums_find(struct rf_work_sums *sums, const struct rf_work_key *key);

/* Adds a value to the sum of a key. Returns false when out of memory, likewise below. */
bool rf_work_sums_add(struct rf_work_sums *sums, const struct rf_work_key *key, uint64_t value);

/* Adds a copy or a set, whose name is 0, to the sums of times and of sizes. */
bool rf_work_sums_add_transfer(struct rf_work_sums *sums, bool is_copy, uint32_t name, uint64_t ns,
                               uint64_t bytes);

/* The index of a shape, a new one if need be. UINT32_MAX: out of memory. */
uint32_t rf_work_sums_shape(struct rf_work_sums *sums, const struct rf_work_shape *shape);

/* Whether calls or work of a kind were met. */
bool rf_work_sums_have(const struct rf_work_sums *sums, enum rf_work_kind kind);

/* Frees all. */
void rf_work_sums_release(struct rf_work_sums *sums);

#endif
