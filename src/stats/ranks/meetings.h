/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of a job, matched across ranks: the n-th one of each rank of an operation and
 * communicator is one meeting. */
#ifndef RF_STATS_RANKS_MEETINGS_H
#define RF_STATS_RANKS_MEETINGS_H

#include "stats/ranks/job_ranks.h"

/* How it is told when a rank comes to a meeting. */
enum rf_meeting_method {
    RF_MEETING_BY_CLOCK, /* by the starts: all ranks have one clock, or are on one timeline */
    RF_MEETING_BY_WAIT   /* by the durations: who comes last has the shortest */
};

/* A rank in a meeting. */
struct rf_member {
    uint32_t rank; /* index into rf_job_ranks.rank */
    bool has_own;  /* own_ns is known */
    int64_t start_ns, end_ns;
    uint64_t own_ns;  /* from the end of the rank's collectives before to the start of this one */
    uint64_t wait_ns; /* for the last rank */
};

struct rf_meeting {
    const struct rf_summary_collective *of; /* the one of its first member */
    size_t first, n;                        /* members, by rank; at least 2 */
    int64_t start_ns;                       /* the first start */
    uint64_t transfer_ns;                   /* from the last rank's arrival to its end */
    uint32_t last;                          /* rank; RF_NO_INDEX: several come last together */
    uint64_t cost_ns;                       /* what it comes behind the last but one */
};

/* How the clocks of several hosts were put side by side: by the ends of the operations. */
struct rf_meeting_clocks {
    uint32_t n_hosts;                    /* 0: they were not */
    int64_t uncertainty_ns, residual_ns; /* the largest; see struct rf_alignment */
    struct rf_alignment *place;          /* by rank; NULL: they were not */
    int64_t base_ns;                     /* that places count from */
};

struct rf_meetings {
    struct rf_meeting *meeting; /* by start */
    size_t n, room;
    struct rf_member *member;
    size_t n_members, members_room;
    enum rf_meeting_method method;
    size_t n_found;     /* collectives of ranks that were looked at */
    size_t n_alone;     /* numbers that one rank alone has */
    size_t n_ambiguous; /* numbers that a rank has several times */
    size_t n_disorder;  /* ends before the last start, by the clocks, of operations that cannot */
    bool is_queued;     /* they are calls that return before the operation is done */
    bool was_clock;     /* there is one clock by name, but n_disorder or are_apart says no */
    bool are_apart;     /* ranks that meet, but not at one time: by their clocks one ended before */
    uint32_t apart[2];  /* the other one began */
    struct rf_meeting_clocks clocks;
};

/* Matches them. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_meetings_init(struct rf_meetings *meetings, const rf_summary *summary,
                     const struct rf_job_ranks *job);
void rf_meetings_release(struct rf_meetings *meetings);

/* Says how the clocks of several hosts were put side by side. */
void rf_meeting_clocks_note(const struct rf_meeting_clocks *clocks, struct rf_table *table);

/* Says that are_apart. */
void rf_meetings_note_apart(const struct rf_meetings *meetings, const struct rf_job_ranks *job,
                            struct rf_table *table);

/* Says how they were compared, and what was left out. */
void rf_meetings_note(const struct rf_meetings *meetings, const struct rf_job_ranks *job,
                      struct rf_table *table);

#endif
