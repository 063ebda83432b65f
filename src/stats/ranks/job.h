/* SPDX-License-Identifier: Apache-2.0 */
/* The job whose ranks the inputs of a summary are: what the reports over ranks begin with. */
#ifndef RF_STATS_RANKS_JOB_H
#define RF_STATS_RANKS_JOB_H

#include "stats/ranks/job_ranks.h"
#include "stats/ranks/meetings.h"

struct rf_job {
    const rf_summary *summary;
    struct rf_job_ranks ranks;
    struct rf_meetings meetings;
};

/* Fills err too; RF_ERR_UNSUPPORTED: no input has a rank, or two have one. To be closed either way.
 */
int rf_job_open(struct rf_job *job, const rf_summary *summary, const char *report,
                struct rf_err *err);
void rf_job_close(struct rf_job *job);

/* Says what is missing, and, for tables of meetings, how ranks were compared. */
void rf_job_note(const struct rf_job *job, bool is_of_meetings, struct rf_table *table);

#endif
