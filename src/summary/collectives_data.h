/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of a summary: what model/collectives/collectives.h finds, the first ones of each
 * recording. Merging keeps all of them. */
#ifndef RF_SUMMARY_COLLECTIVES_DATA_H
#define RF_SUMMARY_COLLECTIVES_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "summary/searched.h"

struct rf_summary;

struct rf_summary_collective {
    uint32_t input, operation; /* operation: string of the summary */
    uint32_t kind;             /* enum rf_collective_kind */
    int64_t start_utc_ns, end_utc_ns;
    uint64_t number;             /* as struct rf_collective has it */
    int64_t communicator, bytes; /* -1: unknown. communicator: bit by bit a uint64_t */
    int64_t rank;                /* -1: unknown */
    int64_t pid, tid;       /* of its thread, or of that which launched the kernel; -1: unknown */
    int64_t device, stream; /* of kernels; otherwise -1 */
};

/* All zero: none. */
struct rf_summary_collectives {
    struct rf_summary_collective *item;
    size_t n, room;
    struct rf_searched_inputs searched; /* left out: those behind the first ones, by start */
};

/* Adds one; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_collective_add(struct rf_summary *summary,
                              const struct rf_summary_collective *collective);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a count is too large. */
int rf_summary_collectives_absorb(struct rf_summary *to, const struct rf_summary *from,
                                  const uint32_t *input);

/* Whether they differ in their times and numbers alone. A text is a number of its own in one
 * summary.
 */
int rf_summary_compare_series(const struct rf_summary_collective *p,
                              const struct rf_summary_collective *q);

/* Puts them into the order of a file, which is the same for every order of adding: those of a
 * series follow one another. */
void rf_summary_collectives_sort(struct rf_summary *summary);

void rf_summary_collectives_release(struct rf_summary_collectives *collectives);

#endif
