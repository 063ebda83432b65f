/* SPDX-License-Identifier: Apache-2.0 */
/* Who comes late to the collectives of a job, and whether that is more than chance. */
#ifndef RF_STATS_RANKS_LATENESS_H
#define RF_STATS_RANKS_LATENESS_H

#include "stats/ranks/meetings.h"

#define RF_LATE_CHANCE 0.05  /* that any rank of a job is named in which all are alike */
#define RF_LATE_SHARE  0.005 /* of the time: less is not named */
#define RF_LATE_PARTS  20    /* into which a run is divided at most */
#define RF_LATE_LEAST  5     /* meetings, with fewer nothing is said */

enum rf_late_verdict {
    RF_LATE_NOT,
    RF_LATE_ALWAYS, /* over the whole run */
    RF_LATE_A_TIME, /* in a quarter of it */
};

struct rf_late_rank {
    uint64_t n;               /* meetings */
    uint64_t n_last;          /* it comes last */
    uint64_t cost_ns;         /* in these: what it comes behind the last but one */
    uint64_t others_wait_ns;  /* in these: the sum of the waits of the others */
    uint64_t wait_ns;         /* its own, in all */
    double late_ns;           /* mean over meetings: own work before it less that of the others */
    double error_ns;          /* standard error of that; NAN: not known */
    uint32_t n_late, n_parts; /* parts of the run in which late_ns is more than RF_LATE_SHARE */
    enum rf_late_verdict verdict;
    uint32_t quarter; /* of RF_LATE_A_TIME, from 0 */
};

struct rf_lateness {
    struct rf_late_rank *rank; /* as rf_job_ranks has them */
    size_t n;
    size_t n_named;
    double period_ns; /* mean time from one meeting to the next */
    uint64_t span_ns; /* from the first meeting to the last */
};

/* Measures them. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_lateness_init(struct rf_lateness *lateness, const struct rf_meetings *meetings,
                     const struct rf_job_ranks *job);
void rf_lateness_release(struct rf_lateness *lateness);

#endif
