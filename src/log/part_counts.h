/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of a part come to, where only ranges that are pushed and popped, and marks, are
 * to be counted: the part need not be decoded then. */
#ifndef RF_LOG_PART_COUNTS_H
#define RF_LOG_PART_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"

#define RF_PART_DOMAINS 4u

struct rf_part_domain {
    uint64_t handle;
    uint32_t n_ranges; /* that begin and end in the part */
    uint32_t n_marks;
    uint32_t n_pops; /* of ranges that were open before it, innermost first; they come before... */
    uint32_t n_open; /* ... the pushes of ranges that are open behind it */
};

struct rf_part_counts {
    uint64_t first_event_ticks; /* of the earliest push or mark; UINT64_MAX: there is none */
    uint64_t last_ticks;        /* of the latest record, or where the part begins */
    uint32_t n_domains;
    struct rf_part_domain domain[RF_PART_DOMAINS];
};

/* Counts a part. Returns false if it holds anything else: records of other types or in long form,
 * more domains, bytes that are no records. */
bool rf_part_count(struct rf_part_counts *counts, const struct rf_log_part *part);

#endif
