/* SPDX-License-Identifier: Apache-2.0 */
/* What each rank of a job does with its time: its steps, and the collectives in them. Each rank is
 * measured by its own clock, from the start of its first step. */
#ifndef RF_STATS_RANKS_RANK_TIMES_H
#define RF_STATS_RANKS_RANK_TIMES_H

#include "stats/ranks/job.h"

struct rf_rank_time {
    /* Its loop: of the threads with steps that with most time in them; places in
     * rf_rank_times.step. Without steps the time is from its first collective to its last one, or
     * that of its recording. */
    size_t first_step, n_steps;
    size_t first_collective, n_collectives; /* likewise */
    int64_t start_ns;
    uint64_t span_ns;             /* from the start of the first step to the end of the last one */
    uint64_t time_ns;             /* in steps */
    uint64_t collective_ns;       /* of that in collectives; the rest is its own work */
    uint64_t gpu_ns, gpu_wait_ns; /* of the steps: GPU work, and waits for it */
    uint64_t wait_ns;             /* for the last rank */
};

struct rf_rank_span {
    uint32_t rank;
    int64_t start_ns, end_ns;
};

struct rf_rank_times {
    const rf_summary *summary;
    struct rf_rank_time *rank; /* as rf_job_ranks has them */
    size_t n;
    uint32_t *step; /* places in the summary's, by rank, thread and start */
    size_t n_steps;
    struct rf_rank_span *collective; /* that wait, by rank and start */
    size_t n_collectives;
};

/* Measures them. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_rank_times_init(struct rf_rank_times *times, const struct rf_job *job);
void rf_rank_times_release(struct rf_rank_times *times);

/* Called with a stretch of a rank's steps, since the start of the first one. */
typedef void rf_rank_times_fn(void *context, uint64_t from_ns, uint64_t to_ns, bool is_collective);

/* Calls fn with the time of a rank, piece by piece, by time. */
void rf_rank_times_visit(const struct rf_rank_times *times, size_t rank, rf_rank_times_fn *fn,
                         void *context);

/* Its step i, from 0. */
const struct rf_summary_step *rf_rank_times_step(const struct rf_rank_times *times, size_t rank,
                                                 size_t i);

#endif
