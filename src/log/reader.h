/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as bytes: whether it is a packed file or a session directory, dead or still written
 * to, it is shown as its control page, its processes' definitions and its parts in order.
 * Records are not looked at; every length is within what is there. */
#ifndef RF_LOG_READER_H
#define RF_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zstd_library.h"
#include "log/layout.h"
#include "rangefinder/rangefinder.h"

struct rf_log_part {
    const uint8_t *raw; /* chunk header, part header, records; at any alignment. NULL: it is
                         * compressed, rf_part_view() has them */
    struct rf_packed_part *packed; /* NULL: it is not */
    const uint8_t
        *noted; /* raw is a copy of this with moments in it (moments.h); NULL: it is not */
    uint64_t seq;
    uint64_t ticks; /* of its header, likewise mono_ns: reading there maps the part again */
    int64_t mono_ns;
    uint32_t process, slot;
    uint32_t size;    /* bytes of all three, at least RF_PART_RECORDS_OFFSET */
    uint64_t own_seq; /* as it was recorded, likewise own_end: where it ends in that part. Of a
                       * session that is written in pieces seq and size may differ */
    uint32_t own_end;
    uint32_t n_moments; /* words that moments.c has put into it, which are not in own_end */
    bool is_made;       /* it holds what files before leave open */
    bool is_complete;
    bool is_cut;           /* a chunk whose end is not there */
    bool is_suspect;       /* its checksum is wrong */
    bool is_carried;       /* of a session directory: it holds what recycled parts left open */
    const uint8_t *counts; /* what the file says that it comes to: rf_part_counts_read(). Its own
                            * bytes were not checked then. NULL: nothing */
};

/* What damage took (mend.c). */
struct rf_damage {
    uint64_t n_parts;     /* that are missing, or not whole */
    uint64_t n_records;   /* about how many they held beside those that are here */
    uint64_t n_bytes;     /* of those */
    uint64_t n_defs;      /* about how many definitions are missing */
    uint64_t n_mended;    /* chunks of which one bit was wrong, and is right again */
    uint32_t mean_record; /* bytes; 0: nobody asked yet */
    bool is_end_missing;  /* and nothing says how much it held */
    bool has_no_control;
};

/* What complete pieces have of a stream (taken.h). */
struct rf_taken_stream {
    uint32_t process, slot;
    uint64_t seq, ticks; /* of the record before what was not taken */
    struct rf_taken taken;
    size_t first; /* of the builder's parts */
};

/* A part that a pool says is in the log. */
struct rf_log_tail {
    uint64_t seq;
    uint32_t process, slot;
    uint32_t size;
};

struct rf_log_process {
    uint32_t number;
    const uint8_t *defs; /* struct rf_def after struct rf_def */
    size_t defs_size;
};

/* A whole METRICS chunk. */
struct rf_log_metrics {
    const uint8_t *data; /* chunk header and payload; at any alignment */
    uint64_t size;       /* of both, at least those of the two headers */
    uint64_t seq, ticks;
    uint32_t slot;
};

/* A .log file of a session directory. */
struct rf_log_file {
    uint32_t process;
    bool is_whole; /* chunk follows chunk to its end, all complete */
    const uint8_t *data;
    uint64_t size;
};

struct rf_log {
    struct rf_control control; /* zero, but for magic, where a salvaged file has none */
    struct rf_log_part *part;  /* by process, slot, seq; each once */
    size_t n_parts;
    struct rf_log_process *process; /* by number; all that have parts or definitions */
    size_t n_processes;
    struct rf_log_metrics *metrics; /* by slot, seq; each once */
    size_t n_metrics;
    struct rf_log_file *file; /* of a session directory */
    size_t n_files;
    struct rf_log_tail *tail; /* of a session directory */
    size_t n_tails;
    struct rf_taken_stream *taken; /* of a session that is written in pieces: by process, slot */
    size_t n_taken;
    struct rf_log_tail *moved; /* of a session directory that was written to while it was read: the
                                * last part that a stream had when its pool was read */
    size_t n_moved;
    size_t n_moments;  /* MOMENT chunks; the parts have them in their records */
    uint32_t *running; /* of a session directory: numbers of the processes that ran just before
                        * their streams were read */
    size_t n_running;
    struct rf_damage damage, reported; /* reported: what control says of it already */
    uint64_t n_damaged_bytes;          /* passed over */
    uint64_t size_bytes;               /* on disk */
    bool is_packed;
    int ring_lock;       /* descriptor + 1 of a lock on a directory that is a ring; 0: none */
    struct rf_zstd zstd; /* loaded if anything in it is compressed */
    uint64_t compressed_bytes,
        expanded_bytes;           /* of compressed chunks, and of what they stand for */
    struct rf_log_memory *memory; /* what the pointers above point into */
};

/* A flag beside enum rf_open_flags: who opens a ring is about to recycle parts of it. */
#define RF_LOG_IS_RECYCLED 0x40000000u

/* Opens a packed file or a session directory. flags: enum rf_open_flags. Nothing is held on
 * failure. Until a ring is closed nothing of it is recycled. */
int rf_log_open(struct rf_log *log, const char *path, unsigned flags, struct rf_err *err);

void rf_log_close(struct rf_log *log);

#endif
