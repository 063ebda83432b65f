/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/advise/advise_ranks.h"

#include <stdlib.h>

#include "model/private_access.h"
#include "stats/ranks/job.h"
#include "stats/ranks/lateness.h"
#include "summary/collect.h"

#define MAX_SAID 3 /* ranks: the report has all of them */

const struct rf_advice_rule rf_advice_straggler_rule = {
    .id = "straggler",
    .meaning = "of several ranks one comes later to the collectives than chance gives, and that is "
               "at least 0.5 % of the time of the job",
    .advice = "compare its steps with those of another rank, and its host with other hosts",
};

int rf_advice_add_rank(rf_summary **job, const rf_recording *rec, const char *path,
                       struct rf_err *err)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    int status = RF_OK;
    if (!rf_has_rank(rec))
        return RF_OK;
    options.path = path;
    options.without_steps = 1;
    if (*job == NULL)
        status = rf_summary_new(job, err);
    if (status == RF_OK)
        status = rf_summary_collect(*job, rec, &options, NULL, err);
    return status == RF_ERR_EXISTS ? RF_OK : status;
}

static char *new_text(struct rf_text_sink *words, const char *format, long long rank)
{
    rf_sink_format(&words->sink, format, rank);
    return rf_text_sink_take(words);
}

static char *new_evidence(const struct rf_late_rank *rank, double late_ms,
                          struct rf_text_sink *words)
{
    rf_sink_format(&words->sink,
                   "it comes last to %llu of %llu collectives, and is %.3f ms late to each on "
                   "average, beyond what chance gives",
                   (unsigned long long)rank->n_last, (unsigned long long)rank->n, late_ms);
    return rf_text_sink_take(words);
}

static char *new_command(const struct rf_findings *findings, struct rf_text_sink *words)
{
    rf_sink_text(&words->sink, "rangefinder stats -r stragglers");
    rf_findings_put_paths(findings, &words->sink);
    return rf_text_sink_take(words);
}

static int say(const struct rf_job *job, const struct rf_lateness *lateness, size_t i,
               struct rf_findings *findings, struct rf_text_sink *words)
{
    const struct rf_late_rank *rank = &lateness->rank[i];
    const long long number = (long long)job->ranks.rank[i].rank;
    const double late_ns = rank->late_ns * (double)rank->n;
    const struct rf_said said = {
        .id = rf_advice_straggler_rule.id,
        .subject = new_text(words, "rank %lld", number),
        .title = new_text(words, "the other ranks wait for rank %lld", number),
        .evidence = new_evidence(rank, rank->late_ns / 1e6, words),
        .command = new_command(findings, words),
        .advice = rf_advice_straggler_rule.advice,
        .of = "the time from the first collective to the last one",
        .gain_ns = late_ns > 0 ? (uint64_t)late_ns : 0,
        .of_ns = lateness->span_ns,
        .n_inputs = 1,
    };
    return rf_findings_say(findings, &said);
}

int rf_advice_compare_ranks(const rf_summary *summary, struct rf_findings *findings,
                            struct rf_text_sink *words)
{
    struct rf_lateness lateness = {.n = 0};
    struct rf_job job;
    size_t n = 0;
    if (summary == NULL || rf_summary_n_inputs(summary) < 2)
        return RF_OK;
    int status = rf_job_open(&job, summary, "stragglers", NULL);
    if (status == RF_OK)
        status = rf_lateness_init(&lateness, &job.meetings, &job.ranks);
    for (size_t i = 0; i < lateness.n && n < MAX_SAID && status == RF_OK; i++)
        if (lateness.rank[i].verdict == RF_LATE_ALWAYS) {
            status = say(&job, &lateness, i, findings, words);
            n++;
        }
    rf_lateness_release(&lateness);
    rf_job_close(&job);
    return status == RF_ERR_UNSUPPORTED ? RF_OK : status; /* they are not ranks of one job */
}
