/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a packed file chunk by chunk: what everything that packs shares. */
#ifndef RF_LOG_PACKER_H
#define RF_LOG_PACKER_H

#include <stdbool.h>

#include "base/output.h"
#include "log/counts.h"
#include "log/layout.h"
#include "log/part_reader.h"
#include "log/reader.h"

/* Begin with zeros, but out.fd = -1 and err. */
struct rf_packer {
    struct rf_output out;
    uint64_t size;                             /* of the output so far */
    uint64_t compressed_bytes, expanded_bytes; /* of it: as in struct rf_log */
    struct rf_index_entry *entry;
    size_t n, room;
    size_t early_control;    /* entry of the control page that was written first, plus 1; 0: none */
    struct rf_counts counts; /* of the parts so far */
    uint8_t *part_counts;    /* the COUNTS chunk's payload so far */
    size_t part_counts_size, part_counts_room;
    struct rf_compressor *compressor; /* NULL: chunks are written as they are */
    struct rf_part_reader parts;      /* of the log that rf_packer_write_part() takes them from */
    struct rf_err *err;
};

/* Has parts and definitions of the output compressed. RF_ERR_UNSUPPORTED without libzstd. */
int rf_packer_compress(struct rf_packer *p);

/* The same if the control page says that its session is compressed. Without libzstd it is not: a
 * recording is worth more than its form. */
int rf_packer_compress_as(struct rf_packer *p, const struct rf_control *control);

/* RF_ERR_EXISTS where the output is there and may not be overwritten. */
int rf_packer_check_output(const char *output, bool can_overwrite, struct rf_err *err);

/* Begins a new file. */
int rf_packer_open(struct rf_packer *p, const char *output, bool can_overwrite,
                   const struct rf_control *control);

/* Notes a chunk for the index. other_type: as there. */
int rf_packer_add_entry(struct rf_packer *p, uint64_t offset, const struct rf_chunk_header *header,
                        uint16_t other_type, uint32_t crc);

/* Counts the records of a part whose chunk was noted last, compressed or not, and that begins at
 * these ticks. *is_whole, unless NULL: they do not break off. */
int rf_packer_count_part(struct rf_packer *p, uint64_t ticks, const uint8_t *records, uint64_t size,
                         bool *is_whole);

/* Appends a chunk, compressed if that is wanted and helps. header: all but magic, header_size and
 * size. */
int rf_packer_write_chunk(struct rf_packer *p, struct rf_chunk_header header, const void *payload,
                          uint64_t size);

/* Appends a part of the log of p->parts. */
int rf_packer_write_part(struct rf_packer *p, const struct rf_log_part *part);

/* Appends a METRICS chunk as it is. */
int rf_packer_write_metrics(struct rf_packer *p, const struct rf_log_metrics *metrics);

/* Appends a definitions stream in pieces; *used (may be NULL): its size. */
int rf_packer_write_defs(struct rf_packer *p, const struct rf_log_process *process, uint64_t *used);

/* Writes the control page as it is known so far, so that a file whose end is lost says what it is.
 */
int rf_packer_write_early_control(struct rf_packer *p, const struct rf_control *control);

/* Writes it as it is in the end: over the early one, where the output can be written again. */
int rf_packer_write_control(struct rf_packer *p, const struct rf_control *control);
int rf_packer_write_index(struct rf_packer *p);

/* Makes the file appear under its name, or removes it where status is a failure. Returns the
 * status. */
int rf_packer_finish(struct rf_packer *p, int status);

#endif
