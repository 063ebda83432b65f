/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of a part come to, where only ranges that are pushed and popped, and marks, are
 * to be counted: the part need not be decoded then. */
#ifndef RF_LOG_PART_COUNTS_H
#define RF_LOG_PART_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/layout.h"

#define RF_PART_DOMAINS 4u

struct rf_part_counts {
    uint64_t n_records;
    uint64_t n_bytes;           /* of whole records, from the first one on */
    uint64_t first_event_ticks; /* as in struct rf_count_entry */
    uint64_t last_ticks;
    uint32_t n_domains;
    struct rf_count_domain domain[RF_PART_DOMAINS];
};

/* Counts the records of a part that begins at these ticks. Returns false if it holds anything else:
 * records of other types or in long form, more domains. */
bool rf_part_count(struct rf_part_counts *counts, uint64_t ticks, const uint8_t *records,
                   uint64_t size);

/* Reads what a COUNTS chunk says of a part, without n_records and n_bytes. at: where
 * rf_count_entry_size() found an entry. Returns false if a part of this size cannot have it. */
bool rf_part_counts_read(struct rf_part_counts *counts, const uint8_t *at, uint64_t part_size);

/* The bytes of the entry that begins at `at`, with its domains; 0: there is none in `size` bytes.
 */
uint64_t rf_count_entry_size(const uint8_t *at, uint64_t size);

#endif
