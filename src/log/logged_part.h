/* SPDX-License-Identifier: Apache-2.0 */
/* Parts in a log that is read while it grows, whether they are compressed or not. */
#ifndef RF_LOG_LOGGED_PART_H
#define RF_LOG_LOGGED_PART_H

#include "log/chunks.h"
#include "log/part_reader.h"

/* What is known of one without expanding it. */
struct rf_logged_part {
    uint64_t seq;
    uint32_t slot;
    uint32_t stored; /* bytes of its chunk */
    bool is_carried; /* it stands for parts that were there before */
};

/* Returns false if the chunk is no part of this process that is there whole. bytes: the chunk. */
bool rf_logged_part_read(struct rf_logged_part *part, const struct rf_chunk *chunk,
                         const uint8_t *bytes, uint32_t process);

/* Of one thread; begins with zeros. */
struct rf_logged_parts {
    struct rf_zstd zstd; /* loaded with the first part that is compressed */
    struct rf_expander *expander;
    uint8_t *part; /* that was expanded last */
};

/* The bytes of a part whose chunk is rf_logged_part.stored bytes: these, or what they are expanded
 * to, until the next call. Without data: it is damaged, or cannot be expanded. */
struct rf_part_view rf_logged_part_view(struct rf_logged_parts *parts, const uint8_t *chunk,
                                        uint32_t stored);

/* Harmless on zeros. */
void rf_logged_parts_release(struct rf_logged_parts *parts);

#endif
