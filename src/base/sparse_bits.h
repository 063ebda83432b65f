/* SPDX-License-Identifier: Apache-2.0 */
/* A set of numbers, most of which follow one another: about two bits for each. */
#ifndef RF_BASE_SPARSE_BITS_H
#define RF_BASE_SPARSE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define RF_PAGE_WORDS 8u

struct rf_bit_page {
    uint64_t word[RF_PAGE_WORDS];
};

/* All zero: empty. */
struct rf_sparse_bits {
    struct rf_map page_of; /* by number */
    struct rf_bit_page *page;
    uint32_t n_pages;
    size_t room;
    uint64_t n; /* numbers that are in it */
};

/* Adds a number. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_sparse_bits_add(struct rf_sparse_bits *bits, uint64_t number);

bool rf_sparse_bits_have(const struct rf_sparse_bits *bits, uint64_t number);

void rf_sparse_bits_release(struct rf_sparse_bits *bits);

#endif
