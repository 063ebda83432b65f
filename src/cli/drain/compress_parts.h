/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing parts on their way from the pools to the logs. A thread that fills parts faster than
 * they are compressed gets them appended as they are. */
#ifndef RF_CLI_DRAIN_COMPRESS_PARTS_H
#define RF_CLI_DRAIN_COMPRESS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "log/layout.h"

struct compress_parts;

/* NULL: the parts of this session are not compressed as they are drained. */
struct compress_parts *compress_parts_new(const struct rf_control *control);
void compress_parts_free(struct compress_parts *c);

/* The chunk to append for a part that was claimed, and its size in *size. It is the part itself if
 * its thread waits for room, or if another one did lately. other: the thread's other part. c: may
 * be NULL. */
const uint8_t *compress_parts_take(struct compress_parts *c, const struct rf_pool_part *other,
                                   const uint8_t *part, size_t *size);

/* Says that it was appended: was it too late? */
void compress_parts_done(struct compress_parts *c, const struct rf_pool_part *other);

#endif
