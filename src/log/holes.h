/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_LOG_HOLES_H
#define RF_LOG_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "log/chunks.h"

/* bytes: of the chunk, as it stands in the log. */
typedef bool rf_chunk_is_gone(void *context, const struct rf_chunk *chunk, const uint8_t *bytes);

/* Makes holes of the chunks of a log that nobody needs any more: each stretch of them becomes one
 * chunk that readers skip, and its pages are given back. data: the first `end` bytes of the file.
 */
void rf_make_holes(int fd, const uint8_t *data, uint64_t end, rf_chunk_is_gone *is_gone,
                   void *context);

#endif
