/* SPDX-License-Identifier: Apache-2.0 */
/* What is open at a moment: walks all streams of a session up to it, once, looking at the heads of
 * records only, and keeps those records of the past that what follows cannot be read without.
 * Memory grows with what is open, not with what was walked over. */
#ifndef RF_LOG_OPEN_RANGES_H
#define RF_LOG_OPEN_RANGES_H

#include <stdbool.h>

#include "log/part_reader.h"
#include "log/reader.h"
#include "log/records.h"

#define RF_OPEN_NONE UINT32_MAX

/* A record that is still needed: PUSH and START, END where its START comes later, and the TEXT
 * and DATA that follow them. */
struct rf_open_record {
    const uint8_t *words; /* NULL: this place is free */
    bool is_owned;        /* they are a copy */
    uint64_t ticks;
    uint64_t counter; /* START: its number in the stream */
    uint64_t order;   /* as they were read */
    uint32_t n_words;
    uint32_t more;   /* the TEXT or DATA record that follows this one */
    uint32_t below;  /* on the stack: the one under it */
    uint32_t stream; /* RF_OPEN_NONE: a TEXT or DATA record */
    uint32_t thread; /* index into the stream's threads */
};

/* A thread that wrote to a stream, and is still needed. */
struct rf_open_thread {
    uint32_t tid, serial;
    uint64_t begin[4], end[4]; /* its THREAD and THREAD_END records; all 0: not seen */
    uint64_t begin_ticks, end_ticks;
    uint32_t n_open; /* records of it that are needed; pushes are not counted */
    bool is_wanted;
};

struct rf_open_start {
    uint64_t counter;
    uint32_t record; /* RF_OPEN_NONE: it has ended */
};

struct rf_open_stack {
    uint64_t domain;
    bool is_known; /* domain is the number of a name, not a handle that nobody gave out */
    uint32_t top;
};

struct rf_open_stream {
    const struct rf_log_part *part;
    size_t n_parts;
    uint32_t process; /* index */
    uint32_t slot;

    /* where the walk stopped: at the first record of the moment or later, if there is one */
    struct rf_stream_cursor at;
    bool has_rest;
    bool goes_on; /* the part that was entered last is to be read on */

    struct rf_open_thread *thread; /* the last one is the one that writes */
    uint32_t n_threads;
    size_t thread_room;
    struct rf_stream_cursor thread_at; /* where its records begin */
    struct rf_open_stack *stack;       /* by domain; none is empty */
    uint32_t n_stacks;
    size_t stack_room;
    struct rf_open_start *start; /* by counter */
    size_t n_starts, n_live_starts, start_room;
    uint32_t n_waiting; /* ENDs that were read before their START of this stream */
    uint32_t more_of;   /* the record that TEXT and DATA may follow now, or RF_OPEN_NONE */
    uint32_t more_last; /* the last of those that followed it so far */
    bool is_text_open;  /* its text goes on */
};

/* An END whose START is not read yet: parts of different streams overlap in time. */
struct rf_open_wait {
    uint64_t counter;
    uint32_t stream; /* of the START */
    uint32_t record; /* the END */
};

struct rf_open_domains;

/* The threads of a process that have ended: a bit per serial. */
struct rf_open_ended {
    uint64_t *bits;
    uint32_t n_words;
};

struct rf_open_ranges {
    const struct rf_log *log, *whole;
    uint64_t limit; /* the moment */
    struct rf_open_stream *stream;
    uint32_t n_streams;
    struct rf_open_record *record;
    uint32_t n_records, free_record;
    size_t record_room;
    uint32_t *fresh; /* records whose words are still those of a part that is read */
    size_t n_fresh, fresh_room;
    struct rf_part_reader parts;
    uint64_t n_order;
    struct rf_open_wait *wait;
    uint32_t n_waits, n_waits_elsewhere;
    size_t wait_room;
    struct rf_open_domains *domains;
    struct rf_open_ended *ended;         /* per process */
    uint64_t n_lost_records, lost_bytes; /* that the parts before the moment report */
    uint64_t n_bytes;                    /* walked over, likewise below */
    uint64_t n_walked; /* records, but for those that were carried on already, and DATA */
    bool is_merged; /* what a thread has pushed was found in several streams, by reading them again
                     */
    bool is_out_of_memory;
};

/* Walks everything before `limit` (ticks). whole: NULL, or the log of which `log` has the first
 * parts of some streams: an END whose START may stand in the others is needed. */
int rf_open_ranges_find(struct rf_open_ranges *o, const struct rf_log *log,
                        const struct rf_log *whole, uint64_t limit);

/* The same for a log that was opened later than that of `from`, a walk that is over, without
 * walking over its records again where that can be. from is released; its log may be closed then.
 */
int rf_open_ranges_go_on(struct rf_open_ranges *o, struct rf_open_ranges *from,
                         const struct rf_log *log, uint64_t limit);
void rf_open_ranges_release(struct rf_open_ranges *o);

/* The records in use, by stream, thread and time: indices, *n of them; the caller frees them. NULL
 * when out of memory. TEXT and DATA stand behind the records that they follow, and are not listed.
 */
uint32_t *rf_open_ranges_list(const struct rf_open_ranges *o, uint32_t *n);

#endif
