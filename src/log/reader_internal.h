/* SPDX-License-Identifier: Apache-2.0 */
/* What reader.c and reader_dir.c share: a struct rf_log while it is put together. */
#ifndef RF_LOG_READER_INTERNAL_H
#define RF_LOG_READER_INTERNAL_H

#include "log/chunks.h"
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
    size_t part_room, file_room, metrics_room, tail_room;
    struct rf_log_read metrics_read;
    struct rf_defs_piece *piece;
    size_t n_pieces, piece_room;
    const uint8_t *suspect_control; /* a control page whose checksum is wrong */
    int has_control;
    int has_index;        /* the chunk, whether right or not: the file's end is there */
    int is_focused;       /* a session directory of a focused run */
    int is_out_of_memory; /* sticky: the adders do nothing more */
};

/* Maps a whole file for reading; *data is NULL for an empty one. The log keeps it. */
int rf_log_map(struct rf_log *log, int fd, const char *path, const uint8_t **data, uint64_t *size,
               struct rf_err *err);
/* Memory that the log keeps; NULL when there is none. */
void *rf_log_allocate(struct rf_log *log, size_t size);
/* The same, all zero: a page of it costs memory when it is written to. */
void *rf_log_reserve(struct rf_log *log, size_t size);

/* How much of a part there is. */
enum rf_part_copy {
    RF_COPY_WHOLE,
    RF_COPY_ACTIVE, /* its thread may still write it */
    RF_COPY_CUT,    /* its chunk was cut short: damage, unless another copy is better */
    RF_COPY_SUSPECT /* its checksum is wrong */
};

/* A PART chunk of size bytes. One that is too short for its headers counts as damaged. */
void rf_log_add_part(struct rf_log_builder *b, const uint8_t *data, uint64_t size,
                     enum rf_part_copy copy);
void rf_log_add_defs(struct rf_log_builder *b, uint32_t process, uint64_t offset,
                     const uint8_t *data, uint64_t size);
/* Takes a control page of size bytes; counts it as damaged if it is none. */
void rf_log_set_control(struct rf_log_builder *b, const uint8_t *data, uint64_t size);

/* Adds what a file's chunks hold, from the file header on. Returns whether they are all whole. */
int rf_log_add_chunks(struct rf_log_builder *b, const uint8_t *data, uint64_t size);

/* Checks the first bytes of a .rf or .log file. */
int rf_log_check_header(const uint8_t *data, uint64_t size, const char *path, struct rf_err *err);

/* Adds a session directory. */
int rf_log_add_directory(struct rf_log_builder *b, int directory, const char *path, unsigned flags,
                         struct rf_err *err);

#endif
