/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a struct rf_log keeps: what its pointers point into. */
#ifndef RF_LOG_LOG_MEMORY_H
#define RF_LOG_LOG_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "log/reader.h"

/* Maps a whole file for reading; *data is NULL for an empty one. */
int rf_log_map(struct rf_log *log, int fd, const char *path, const uint8_t **data, uint64_t *size,
               struct rf_err *err);

/* NULL when out of memory. */
void *rf_log_allocate(struct rf_log *log, size_t size);

/* As rf_log_allocate(), all zero: a page of it costs memory when it is written to. */
void *rf_log_reserve(struct rf_log *log, size_t size);

void rf_log_free_memory(struct rf_log *log);

/* Bytes that were read and are not needed for now. All zero: none yet. */
struct rf_log_read {
    const uint8_t *from, *to;
};

/* Notes that bytes of a log were read. When there are enough of them, the pages from the first to
 * the last are returned to the system, with those of others in between, since a call for each part
 * costs more than the reading; whoever reads them again gets them from the file. */
void rf_log_was_read(const struct rf_log *log, struct rf_log_read *read, const uint8_t *data,
                     uint64_t size);

#endif
