/* SPDX-License-Identifier: Apache-2.0 */
/* A struct rf_log while it is put together. */
#ifndef RF_LOG_LOG_BUILDER_H
#define RF_LOG_LOG_BUILDER_H

#include <stdbool.h>

#include "log/chunks.h"
#include "log/log_memory.h"
#include "log/reader.h"

/* A piece of a process's definitions stream. */
struct rf_defs_piece {
    uint32_t process;
    uint64_t offset; /* in the stream */
    const uint8_t *data;
    size_t size;
};

struct rf_log_builder {
    struct rf_log *log;
    size_t part_room, file_room, metrics_room, tail_room, moved_room, running_room;
    struct rf_log_read metrics_read;
    struct rf_log_moment *moment;
    size_t n_moments, moment_room;
    struct rf_defs_piece *piece;
    size_t n_pieces, piece_room;
    struct rf_log_part *taken_part; /* of log->taken */
    size_t taken_room, n_taken_parts, taken_part_room;
    struct rf_expander *expander;   /* NULL: nothing was compressed so far */
    const uint8_t *suspect_control; /* a control page whose checksum is wrong */
    bool has_control;
    bool has_index;        /* the chunk, whether right or not: the file's end is there */
    bool is_focused;       /* a session directory of a focused run */
    bool is_zstd_missing;  /* something is compressed, and there is no libzstd */
    bool is_out_of_memory; /* sticky: the adders do nothing more */
};

/* How much of a part there is. */
enum rf_part_copy {
    RF_COPY_WHOLE,
    RF_COPY_ACTIVE, /* its thread may still write it */
    RF_COPY_CUT,    /* its chunk was cut short: damage, unless another copy is better */
    RF_COPY_SUSPECT /* its checksum is wrong */
};

/* Adds a PART chunk of size bytes. One that is too short for its headers counts as damaged. */
void rf_log_add_part(struct rf_log_builder *b, const uint8_t *data,
                     const struct rf_chunk_header *header, uint64_t size, enum rf_part_copy copy);
void rf_log_add_defs(struct rf_log_builder *b, uint32_t process, uint64_t offset,
                     const uint8_t *data, uint64_t size);

/* Takes a control page of size bytes; counts it as damaged if it is none. */
void rf_log_set_control(struct rf_log_builder *b, const uint8_t *data, uint64_t size);

/* Adds a chunk. size: bytes of its header and payload that the file has. */
void rf_log_add_chunk(struct rf_log_builder *b, const uint8_t *data,
                      const struct rf_chunk_header *header, uint64_t size, bool is_complete);

/* Adds a COMPRESSED chunk that is whole; info: what it says of itself. */
void rf_log_add_packed(struct rf_log_builder *b, const uint8_t *data,
                       const struct rf_chunk_header *header, uint64_t size,
                       const struct rf_compressed *info);

/* Adds a file's chunks, from the file header on. Returns whether they are all whole. */
bool rf_log_add_chunks(struct rf_log_builder *b, const uint8_t *data, uint64_t size);

/* Checks the first bytes of a .rf or .log file. */
int rf_log_check_header(const uint8_t *data, uint64_t size, const char *path, struct rf_err *err);

#endif
