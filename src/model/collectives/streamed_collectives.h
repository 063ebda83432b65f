/* SPDX-License-Identifier: Apache-2.0 */
/* The first collectives by start, of a recording that keeps neither ranges nor GPU work. */
#ifndef RF_MODEL_COLLECTIVES_STREAMED_COLLECTIVES_H
#define RF_MODEL_COLLECTIVES_STREAMED_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_MOST_STREAMED 65536u /* that are kept at least */

/* As struct rf_collective has it. */
struct rf_streamed_collective {
    int64_t start_ns, end_ns;
    uint64_t communicator, bytes;
    int64_t rank;  /* that its payload says; -1: none */
    uint32_t name; /* string: of the range, or the short name of the kernel */
    uint32_t process, thread, track;
    uint8_t kind;
    bool has_communicator, has_bytes;
};

/* All zero: none. */
struct rf_streamed_collectives {
    struct rf_streamed_collective *item;
    size_t n, room;
    size_t n_sorted; /* that were left when they were sorted last */
    uint64_t n_more; /* that are not kept */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_streamed_collectives_add(struct rf_streamed_collectives *list,
                                const struct rf_streamed_collective *item);

/* NULL is none. */
void rf_streamed_collectives_free(struct rf_streamed_collectives *list);

#endif
