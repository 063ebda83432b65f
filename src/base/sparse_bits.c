/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sparse_bits.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define WORD_BITS 64u
#define PAGE_BITS (RF_PAGE_WORDS * WORD_BITS)

int rf_sparse_bits_add(struct rf_sparse_bits *bits, uint64_t number)
{
    uint32_t i = rf_map_find(&bits->page_of, number / PAGE_BITS, 0);
    if (i == RF_MAP_NONE) {
        i = bits->n_pages;
        if (rf_grow_array(&bits->page, i, &bits->room, sizeof(*bits->page)) != RF_OK ||
            rf_map_set(&bits->page_of, number / PAGE_BITS, 0, i) != RF_OK)
            return RF_ERR_NO_MEMORY;
        memset(&bits->page[bits->n_pages++], 0, sizeof(*bits->page));
    }
    uint64_t *word = &bits->page[i].word[number % PAGE_BITS / WORD_BITS];
    const uint64_t bit = (uint64_t)1 << number % WORD_BITS;
    bits->n += (*word & bit) == 0;
    *word |= bit;
    return RF_OK;
}

bool rf_sparse_bits_have(const struct rf_sparse_bits *bits, uint64_t number)
{
    const uint32_t i =
        bits->n > 0 ? rf_map_find(&bits->page_of, number / PAGE_BITS, 0) : RF_MAP_NONE;
    return i != RF_MAP_NONE &&
           (bits->page[i].word[number % PAGE_BITS / WORD_BITS] >> number % WORD_BITS & 1) != 0;
}

void rf_sparse_bits_release(struct rf_sparse_bits *bits)
{
    rf_map_release(&bits->page_of);
    free(bits->page);
    memset(bits, 0, sizeof(*bits));
}
