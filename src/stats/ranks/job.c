/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/job.h"

#include "base/error.h"
#include "stats/add_up.h"

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

/* What summaries do not have, of all inputs. */
static void note_left_out(const rf_summary *summary, struct rf_table *table)
{
    uint64_t n_steps = 0, n_collectives = 0, n_unsearched = 0;
    for (uint32_t i = 0; i < summary->n_inputs; i++) {
        const struct rf_summary_input *input = &summary->input[i];
        const struct rf_searched of = rf_searched_of(&summary->collectives.searched, i);
        n_steps = rf_add_up(n_steps, input->n_steps_left_out);
        n_collectives = rf_add_up(n_collectives, of.n_left_out);
        n_unsearched += input->n_searched < input->n_inputs || of.n_searched < input->n_inputs;
    }
    if (n_steps > 0 || n_collectives > 0)
        rf_table_add_note(table,
                          "of each recording these are the first steps and collectives: %llu steps "
                          "and %llu collectives behind them were left out ('rangefinder summarize "
                          "--max-steps --max-collectives' keeps more)",
                          (unsigned long long)n_steps, (unsigned long long)n_collectives);
    if (n_unsearched > 0)
        rf_table_add_note(table,
                          "in %llu inputs steps or collectives were not looked for: 'rangefinder "
                          "summarize --steps' does",
                          (unsigned long long)n_unsearched);
}

void rf_job_note(const struct rf_job *job, bool is_of_meetings, struct rf_table *table)
{
    if (is_of_meetings)
        rf_meetings_note(&job->meetings, &job->ranks, table);
    if (job->summary->are_ranked_by_path)
        rf_table_add_note(table, "no input has a rank: they are numbered in the order of their "
                                 "names; --rank-from says others");
    rf_job_ranks_note(&job->ranks, table);
    note_left_out(job->summary, table);
}
