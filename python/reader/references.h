/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of references, on any thread. */
#ifndef RF_READER_REFERENCES_H
#define RF_READER_REFERENCES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static inline void add_reference(atomic_size_t *n_references)
{
    atomic_fetch_add_explicit(n_references, 1, memory_order_relaxed);
}

/* Returns whether it was the last one. Whoever drops that one sees what others did before they
 * dropped theirs. */
static inline bool drop_reference(atomic_size_t *n_references)
{
    return atomic_fetch_sub_explicit(n_references, 1, memory_order_acq_rel) == 1;
}

#endif
