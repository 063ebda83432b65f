/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranges of a watched session come to in the current interval, and which are open.
 * Times are ticks of the session's clock. Memory grows with what is open and with the number of
 * names and threads, never with time. */
#ifndef RF_CLI_TOP_TOP_RANGES_H
#define RF_CLI_TOP_TOP_RANGES_H

#include <stdbool.h>

#include "cli/top/top_texts.h"

/* Durations are counted in buckets: 8 for each power of two, so that one is at most 1/16 from the
 * middle of its bucket. */
#define TOP_BUCKETS (8u * 62u)

#define TOP_SLOWEST 32u /* instances that are kept of an interval */

enum top_style { TOP_PUSH_POP = 0, TOP_START_END = 1 };

/* The ranges of one domain, name and style. */
struct top_row {
    uint32_t domain, name; /* texts */
    uint8_t style;         /* enum top_style */
    uint32_t n_open;
    /* of the interval `stamp`: of those that ended in it, */
    uint64_t stamp;
    uint64_t n, sum, max;
    uint32_t *bucket; /* TOP_BUCKETS; NULL: not yet */
    /* and of all, the time that lies in it; self: while it was the innermost of its thread */
    uint64_t total, self;
};

/* A range that a thread pushed. */
struct top_open {
    uint64_t start;
    uint32_t row;
    uint32_t domain; /* text, or with TOP_UNKNOWN_DOMAIN the handle */
};
#define TOP_UNKNOWN_DOMAIN 0x80000000u

struct top_counts {
    uint64_t n_ranges; /* that began */
    uint64_t n_marks;
    uint64_t n_counters; /* samples, and events of other times */
    uint64_t n_cuda;
    uint64_t n_bytes; /* of all records */
};

struct top_thread {
    uint32_t process; /* index; TOP_NONE: this place is free */
    uint32_t tid, serial;
    char system_name[17];
    uint32_t given_name;   /* text; TOP_NONE: none */
    struct top_open *open; /* the innermost last */
    uint32_t n_open;
    size_t room;
    uint32_t n_too_deep;      /* that are open and not in `open` */
    uint64_t settled;         /* up to when its self time is counted */
    struct top_counts counts; /* of the interval */
    uint32_t next_free;
};

/* A start/end range that is open. */
struct top_start {
    uint64_t id, start;
    uint32_t row; /* TOP_NONE: this place is free */
    uint32_t thread_process, tid;
    uint32_t next_free;
};

/* One that ended in the interval. */
struct top_instance {
    uint64_t start, duration;
    uint32_t row, process, tid;
};

struct top_ranges {
    struct top_texts texts;
    struct top_row *row;
    size_t n_rows, row_room;
    struct top_map row_map;
    uint32_t *active; /* rows with the current stamp */
    size_t n_active, active_room;
    uint64_t stamp;
    uint64_t begin;   /* of the interval */
    bool is_counting; /* false while history is read */

    struct top_thread *thread;
    size_t n_threads, thread_room; /* places */
    size_t n_live_threads;
    uint32_t free_thread;
    struct top_map thread_map;

    struct top_start *start;
    size_t n_starts, start_room;
    uint32_t free_start;
    struct top_map start_map; /* by id */

    struct top_instance slowest[TOP_SLOWEST]; /* a heap: [0] is the least */
    size_t n_slowest;
    uint64_t n_untracked;    /* ranges beyond the limits */
    uint64_t n_unknown_ends; /* of ranges that began before we looked */
    bool is_out_of_memory;
};

bool top_ranges_init(struct top_ranges *r);
void top_ranges_release(struct top_ranges *r);

/* The row of a name; TOP_NONE: out of memory. */
uint32_t top_row_of(struct top_ranges *r, uint32_t domain, uint32_t name, enum top_style style);

/* The place of a thread, a new one if need be; TOP_NONE: out of memory. */
uint32_t top_thread_of(struct top_ranges *r, uint32_t process, uint32_t tid, uint32_t serial);

/* The thread has ended: what it pushed is closed. */
void top_thread_end(struct top_ranges *r, uint32_t thread);

/* Events were missed: what it had pushed is not known any more. */
void top_thread_forget(struct top_ranges *r, uint32_t thread);

/* The process has ended: its ranges are closed, its threads gone. */
void top_process_end(struct top_ranges *r, uint32_t process);

void top_push(struct top_ranges *r, uint32_t thread, uint32_t domain, uint32_t row, uint64_t ticks);
void top_pop(struct top_ranges *r, uint32_t thread, uint32_t domain, uint64_t ticks);
void top_start(struct top_ranges *r, uint32_t thread, uint64_t id, uint32_t row, uint64_t ticks);
void top_end(struct top_ranges *r, uint64_t id, uint64_t ticks);

/* Events of a stream were missed: which of the start/end ranges that began in it are open is not
 * known any more. process: its number. */
void top_starts_forget(struct top_ranges *r, uint32_t process, uint32_t slot);

/* Counts the time in the interval of what is open. */
void top_interval_end(struct top_ranges *r, uint64_t ticks);

/* Begins an interval. */
void top_interval_begin(struct top_ranges *r, uint64_t ticks);

/* Of the ranges of a row that ended in the interval: what part of a hundred were no longer. */
uint64_t top_row_percentile(const struct top_row *row, unsigned percent);

#endif
