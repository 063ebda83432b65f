/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/job.h"

#include "base/error.h"

int rf_job_open(struct rf_job *job, const rf_summary *summary, const char *report,
                struct rf_err *err)
{
    *job = (struct rf_job){.summary = summary};
    int status = rf_job_ranks_init(&job->ranks, summary);
    if (status == RF_OK)
        status = rf_job_ranks_check(&job->ranks, summary, report, err);
    if (status == RF_OK)
        status = rf_meetings_init(&job->meetings, summary, &job->ranks);
    return status == RF_ERR_NO_MEMORY ? rf_fail(err, status, "out of memory") : status;
}

void rf_job_close(struct rf_job *job)
{
    rf_meetings_release(&job->meetings);
    rf_job_ranks_release(&job->ranks);
}

void rf_job_note(const struct rf_job *job, struct rf_table *table)
{
    rf_meetings_note(&job->meetings, &job->ranks, table);
    rf_job_ranks_note(&job->ranks, table);
}
