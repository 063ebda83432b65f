/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the recordings of each input was looked for something that is kept piece by piece, as
 * collectives and counters are. */
#ifndef RF_SUMMARY_SEARCHED_H
#define RF_SUMMARY_SEARCHED_H

#include <stddef.h>
#include <stdint.h>

struct rf_searched {
    uint64_t n_searched; /* recordings in which they were looked for */
    uint64_t n_left_out; /* behind the first ones that are kept */
};

/* All zero: nothing was looked for. */
struct rf_searched_inputs {
    struct rf_searched *input; /* the first n; others are zero */
    size_t n, room;
};

/* That of an input, to be changed; NULL: out of memory. */
struct rf_searched *rf_searched_at(struct rf_searched_inputs *all, uint32_t input);

/* What is known of an input. */
struct rf_searched rf_searched_of(const struct rf_searched_inputs *all, uint32_t input);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a number is too large.
 */
int rf_searched_absorb(struct rf_searched_inputs *to, const struct rf_searched_inputs *from,
                       const uint32_t *input);

#endif
