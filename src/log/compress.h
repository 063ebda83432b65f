/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed chunks (docs/format.md, section 2.6): making them, and making others of them. */
#ifndef RF_LOG_COMPRESS_H
#define RF_LOG_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zstd_library.h"
#include "log/layout.h"

/* Room that a part needs when it is expanded: more than its bytes, which are then written without a
 * loop. */
#define RF_EXPANDED_ROOM (RF_PART_SIZE + 64u)

struct rf_compressor; /* of one thread */

/* NULL: out of memory, or *is_missing: there is no libzstd. */
struct rf_compressor *rf_compressor_new(bool *is_missing);
void rf_compressor_free(struct rf_compressor *c);

/* Compresses a PART or DEFS chunk. payload: header->size bytes of it. Returns the size of
 * the chunk that stands for it, at *chunk until the next call; 0: it would be no smaller. */
size_t rf_compress(struct rf_compressor *c, const struct rf_chunk_header *header,
                   const void *payload, const uint8_t **chunk);

struct rf_expander; /* of one thread */

/* zstd: loaded, for as long as the expander lives. NULL: out of memory. */
struct rf_expander *rf_expander_new(const struct rf_zstd *zstd);
void rf_expander_free(struct rf_expander *e);

/* What a COMPRESSED chunk of `size` bytes, header included, says of itself. Returns false if it is
 * not whole: the checksum, with check_crc, or a size is wrong. Afterwards raw_size is within what
 * may be. */
bool rf_compressed_read(struct rf_compressed *info, const uint8_t *chunk, uint64_t size,
                        bool check_crc);

/* Writes the payload of the chunk that one stands for, of which rf_compressed_read() said *info, to
 * info->raw_size bytes, of a part with RF_EXPANDED_ROOM behind its first header. Returns false if
 * it is damaged, and then some of them are written. */
bool rf_expand(struct rf_expander *e, const struct rf_compressed *info, const uint8_t *chunk,
               uint8_t *payload);

#endif
