/* SPDX-License-Identifier: Apache-2.0 */
/* A long list of numbers, most of them small, in few bytes each. */
#ifndef RF_MODEL_SUMS_VALUE_LIST_H
#define RF_MODEL_SUMS_VALUE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_value_chunk;

/* All zero: empty. */
struct rf_value_list {
    struct rf_value_chunk *first, *last;
    uint64_t n;
};

/* false: out of memory. */
bool rf_value_list_add(struct rf_value_list *list, uint64_t value);

/* All values in their order; take returns false to end it. Returns whether all were taken. */
bool rf_value_list_each(const struct rf_value_list *list,
                        bool (*take)(void *context, uint64_t value), void *context);

void rf_value_list_release(struct rf_value_list *list);

#endif
