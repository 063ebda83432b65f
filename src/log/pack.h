/* SPDX-License-Identifier: Apache-2.0 */
/* Making packed files: from a session directory, and from a damaged packed file. Bytes are moved,
 * nothing is decoded. */
#ifndef RF_LOG_PACK_H
#define RF_LOG_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "log/counts.h"
#include "rangefinder/rangefinder.h"

struct rf_control;
struct rf_log;

/* Whether the parts and definitions of an output are compressed. */
enum rf_pack_form {
    RF_PACK_AS_IS,      /* as the session was made, or the input is; what is not stays so */
    RF_PACK_COMPRESSED, /* all of them */
    RF_PACK_EXPANDED,   /* none */
};

/* What a packed file holds. */
struct rf_packed {
    struct rf_counts counts;
    uint64_t size_bytes;
    uint64_t device, inode; /* of the file, whatever has its name by now; 0: it is none */
    uint32_t n_processes;
    uint32_t salvaged; /* enum rf_salvaged */
    uint64_t n_lost_records, lost_bytes, n_lost_about;
    uint64_t n_lost_defs;
    uint64_t n_failed_processes;
    uint64_t n_lost_parts, n_damaged_bytes;
    uint64_t compressed_bytes, expanded_bytes;           /* as in struct rf_log */
    uint64_t n_time_calls, n_memory_calls, n_uncaptured; /* of NVTX's extensions, not recorded */
};

/* In all of them *packed (may be NULL) is filled where they succeed. */

/* Packs a session directory into the file output, which appears under its name only when it is
 * complete. The directory stays as readable as it was, whatever happens; removing it is the
 * caller's. Where the largest log lies on the same file system and nobody can write to it any
 * more, the output is that very file under a second name, with the rest appended: so packing
 * costs one pass of reading. */
int rf_pack(const char *session_dir, const char *output, bool can_overwrite,
            struct rf_packed *packed, struct rf_err *err);

/* The same into a new file in any case: the directory may be written to meanwhile. */
int rf_pack_copy(const char *session_dir, const char *output, bool can_overwrite,
                 struct rf_packed *packed, struct rf_err *err);

/* Copies what can be read of a packed file or a session directory into a new one, in the form asked
 * for. RF_ERR_DAMAGED where that is nothing; RF_ERR_UNSUPPORTED where it is to be compressed, and
 * there is no libzstd. */
int rf_salvage(const char *input, const char *output, bool can_overwrite, enum rf_pack_form form,
               struct rf_packed *packed, struct rf_err *err);

struct rf_packer;

/* What a packer has written of a log. */
struct rf_packed rf_packed_of(const struct rf_packer *p, const struct rf_log *log);

/* Fills *packed but for what a control page does not say. */
void rf_packed_read_control(struct rf_packed *packed, const struct rf_control *control);

#endif
