/* SPDX-License-Identifier: Apache-2.0 */
/* One process of a watched session: its definitions, and how far each of its streams was read.
 *
 * Files are read with pread() alone: nothing is mapped, so that nobody can make us fault, and
 * nothing is locked. A part that is filled, appended and begun anew while it is read is noticed by
 * its number, and found in the log. */
#ifndef RF_CLI_TOP_TOP_PROCESS_H
#define RF_CLI_TOP_TOP_PROCESS_H

#include <stdbool.h>

#include "cli/top/top_ranges.h"
#include "log/layout.h"

/* How far a stream was read. */
struct top_stream {
    uint64_t seq;    /* of the part that comes next, or is being read; 0: none was seen */
    uint32_t offset; /* in it; 0: not begun */
    uint32_t thread; /* index of top_ranges, of the thread below; TOP_NONE: none */
    uint32_t tid, serial;
    bool is_taken;  /* perhaps all of the part is in a file that is complete */
    uint64_t ticks; /* of its last record */
    uint64_t n_starts;
};

/* A part in the log that was not read yet. */
struct top_ref {
    uint64_t seq, carried_from;
    uint64_t at; /* of its chunk */
    uint32_t slot, size;
    uint32_t chunk_size; /* of the chunk that it is compressed in; 0: it is not */
};

struct top_process {
    uint32_t number, index;       /* index: in top_session */
    uint32_t parent;              /* whose memory it copied: a number; TOP_NONE: none */
    int pool_fd, log_fd, defs_fd; /* -1: not there (yet) */
    bool is_begun;                /* the pool has a header */
    bool is_known;                /* it was seen to be begun */
    bool is_ended;
    struct rf_pool_header header;
    uint32_t name;     /* text */
    uint64_t log_at;   /* where the next chunk of the log begins */
    uint64_t defs_at;  /* likewise of the definitions */
    bool has_new_defs; /* they were read after the records that are being decoded */
    uint32_t n_stuck;  /* at how many looks an unfinished definition stood there */
    uint64_t stuck_look;
    uint32_t *string, *domain; /* texts by handle; TOP_NONE: not defined */
    uint32_t n_strings, n_domains;
    struct top_stream *stream;
    uint32_t n_streams;
    struct top_ref *ref;
    size_t n_refs, ref_room;
    struct top_map tid_name;  /* by tid: text */
    struct top_counts counts; /* of the interval */
    uint64_t lost_records, pool_bytes, log_bytes;
};

#define TOP_HISTORY ((uint64_t)256 << 20) /* bytes of a log that are read at the beginning */

#define TOP_DEFS_ROOM 131072u

struct top_reading {
    struct top_ranges *ranges;
    struct top_process *process; /* all, by number */
    size_t n_processes;
    const struct rf_control *control; /* a copy */
    struct rf_expander *expander;     /* NULL: nothing is compressed */
    uint8_t *part;                    /* RF_EXPANDED_ROOM */
    uint8_t *again;                   /* RF_PART_SIZE */
    uint8_t *defs;                    /* TOP_DEFS_ROOM */
    uint64_t n_looks;                 /* at all of the session */
    uint64_t since;                   /* ticks: what is before is not counted; of a capture */
    uint64_t n_missed_parts, missed_bytes;
    bool is_cut; /* history was too long: not all that is open is known */
    uint64_t n_damaged_bytes;
    struct top_counts counts; /* of the interval */
};

/* Opens the files of a process, as far as they are there. dir: the session directory. */
void top_process_open(struct top_process *p, int dir, uint32_t number, uint32_t index);
void top_process_release(struct top_process *p);

/* Keeps of a process that has ended what forked ones may need. */
void top_process_retire(struct top_process *p);

/* Opens what was not there yet, and learns whether the process runs. false: it has not begun. */
bool top_process_look(struct top_reading *reading, struct top_process *p, int dir);

/* Reads what is new. */
void top_process_read(struct top_reading *reading, struct top_process *p);

/* What the complete files of a session that is split have of a stream, and the parts, n of them,
 * that say what is open there: reading goes on behind that, if it has not come so far. */
void top_process_take(struct top_reading *reading, struct top_process *p,
                      const struct rf_chunk_header *chunk, const struct rf_taken *taken,
                      const uint8_t *parts, uint32_t n);

/* Forgets how far streams were read: they begin with what stands in the pool now. */
void top_process_restart(struct top_reading *reading, struct top_process *p);

#endif
