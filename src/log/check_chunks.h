/* SPDX-License-Identifier: Apache-2.0 */
/* The checksums of a packed file, on all processors: they take most of the time of opening it. */
#ifndef RF_LOG_CHECK_CHUNKS_H
#define RF_LOG_CHECK_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"

/* A mapped file and its index. */
struct rf_indexed {
    const uint8_t *data;
    uint64_t index_offset;  /* of the INDEX chunk's header */
    uint64_t n;             /* entries */
    const uint8_t **counts; /* per entry, what the file says that the part comes to: its bytes are
                             * not checked then. NULL: nothing */
    bool is_read_once;      /* the pages are given back to the system when they were read */
};

/* Entry i of the index; i < n. */
struct rf_index_entry rf_indexed_entry(const struct rf_indexed *file, uint64_t i);

/* What was found at an entry of the index. */
struct rf_checked {
    bool is_good; /* a whole chunk that the entry describes, with the right checksum, or one that is
                   * not checked */
    uint64_t ticks; /* of its header, likewise below: reading there maps it again */
    int64_t mono_ns;
    struct rf_compressed compressed; /* of a COMPRESSED chunk; type 0: it makes no sense */
};

/* Checks every entry. The caller frees them; NULL: out of memory. */
struct rf_checked *rf_check_chunks(const struct rf_log *log, const struct rf_indexed *file);

#endif
