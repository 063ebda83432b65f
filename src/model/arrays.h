/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting that keeps the order of equals, and records that each stand once: what every loader
 * needs. */
#ifndef RF_MODEL_ARRAYS_H
#define RF_MODEL_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts records of one size; those that are alike stay in their order. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int rf_sort_records(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));

/* Records of one size that each stand once: many kernels are launched alike. All zero but size:
 * empty. Sizes are multiples of eight; padding is compared too. */
struct rf_record_pool {
    void *record;
    size_t size;
    uint32_t n;
    size_t room;
    struct rf_record_slot {
        uint32_t hash, index; /* RF_NO_INDEX: free */
    } * slot;
    uint32_t n_slots; /* a power of two, or 0 */
    uint64_t seed;
};

/* The index of a record in the pool, to which it is added if new; RF_NO_INDEX: out of memory. */
uint32_t rf_record_pool_add(struct rf_record_pool *pool, const void *record);

#define RF_RECORDS_AT_ONCE 16

/* The same of up to RF_RECORDS_AT_ONCE records that lie one behind the other; index[i]: of record
 * i. Faster: what one is compared with comes from memory while others are looked at. false: out of
 * memory. */
bool rf_record_pool_add_all(struct rf_record_pool *pool, const void *records, unsigned n,
                            uint32_t *index);

/* Frees it; what was taken out of it is to be NULL. */
void rf_record_pool_release(struct rf_record_pool *pool);

#endif
