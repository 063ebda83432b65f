/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a job: those of all inputs of a summary. */
#ifndef RF_STATS_RANKS_JOB_RANKS_H
#define RF_STATS_RANKS_JOB_RANKS_H

#include "stats/table.h"
#include "summary/summary_data.h"

struct rf_job_rank {
    int64_t rank;
    uint32_t input;         /* the first that it comes from */
    uint32_t n_inputs;      /* that say they are this rank */
    const char *host;       /* of the summary; "": not known */
    const uint8_t *boot_id; /* of its input; zeros: not known */
};

struct rf_job_ranks {
    struct rf_job_rank *rank; /* by rank */
    size_t n, room;
    size_t n_duplicate; /* ranks of several inputs */
    size_t n_unknown;   /* inputs without a rank */
    int64_t world_size; /* the largest; -1: not known */
    bool is_mixed;      /* inputs say different sizes */
    const char *host;   /* of all ranks; NULL: several, or not known */
    bool has_hosts;     /* their machines are known to be several */
};

/* Lists them. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_job_ranks_init(struct rf_job_ranks *job, const rf_summary *summary);
void rf_job_ranks_release(struct rf_job_ranks *job);

/* Whether two ranks have one clock: hosts of one name that have not booted in between. */
bool rf_job_ranks_share_clock(const struct rf_job_rank *a, const struct rf_job_rank *b);

/* The place of a rank in the list; RF_NO_INDEX: it has none. */
uint32_t rf_job_ranks_find(const struct rf_job_ranks *job, int64_t rank);

/* Says which ranks are missing, and of how many jobs the inputs seem to be. */
void rf_job_ranks_note(const struct rf_job_ranks *job, struct rf_table *table);

/* Fails where ranks cannot be compared: none is known, or several inputs say that they are one. */
int rf_job_ranks_check(const struct rf_job_ranks *job, const rf_summary *summary,
                       const char *report, struct rf_err *err);

#endif
