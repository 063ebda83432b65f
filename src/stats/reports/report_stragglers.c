/* SPDX-License-Identifier: Apache-2.0 */
/* stragglers: the rank that the others wait for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/ranks/job.h"
#include "stats/ranks/lateness.h"
#include "stats/report.h"
#include "stats/summary_rows.h"

enum {
    RANK,
    VERDICT,
    LATE_SHARE,
    LATE,
    ERROR,
    TIMES_LAST,
    LAST_SHARE,
    COST,
    OTHERS_WAIT,
    WAIT,
    MEETINGS,
    PARTS_LATE,
    HOST
};

static const struct rf_column columns[] = {
    [VERDICT] = {"Straggler", RF_COLUMN_TEXT,
                 "always: it is later than chance gives, over the whole run; 1st, 2nd, 3rd or 4th "
                 "quarter: there; empty: chance may give it, or it costs less than 0.5 %"},
    [RANK] = {"Rank", RF_COLUMN_ID, "rank of the process in its job, or what --rank-from says"},
    [LATE_SHARE] = {"Late (%)", RF_COLUMN_REAL,
                    "Avg Late of all Collectives, in percent of the time from the first to the "
                    "last one of the job; None: likewise"},
    [LATE] =
        {"Avg Late (ns)", RF_COLUMN_REAL,
         "mean over its collectives of the time since the end of the one before, less the mean of "
         "that of the other ranks; of calls that do not wait, of the arrival; None: there is "
         "none before"},
    [ERROR] = {"StdErr (ns)", RF_COLUMN_REAL,
               "standard error of Avg Late, of 20 parts of the run; None: fewer than 5"},
    [TIMES_LAST] = {"Times Last", RF_COLUMN_COUNT, "collectives to which it comes last, alone"},
    [LAST_SHARE] = {"Last (%)", RF_COLUMN_REAL, "share of them among Collectives; None: none"},
    [COST] = {"Cost (ns)", RF_COLUMN_COUNT,
              "in these: sum of the times that it comes behind the last but one, by which the job "
              "would be shorter"},
    [OTHERS_WAIT] = {"Others Wait (ns)", RF_COLUMN_COUNT,
                     "in these: sum of the times that all other ranks wait for it"},
    [WAIT] = {"Own Wait (ns)", RF_COLUMN_COUNT,
              "sum of the times that it waits for the last rank, in all Collectives"},
    [MEETINGS] = {"Collectives", RF_COLUMN_COUNT,
                  "operations of it that are matched with those of other ranks"},
    [PARTS_LATE] = {"Parts Late", RF_COLUMN_COUNT,
                    "of 20 parts of the run those in which it is late by 0.5 % or more"},
    [HOST] = {"Host", RF_COLUMN_TEXT, "name of the machine"},
};

/* ---- Rows ---- */

static const char *verdict_of(const struct rf_late_rank *rank)
{
    static const char *const quarters[] = {"1st quarter", "2nd quarter", "3rd quarter",
                                           "4th quarter"};
    return rank->verdict == RF_LATE_ALWAYS   ? "always"
           : rank->verdict == RF_LATE_A_TIME ? quarters[rank->quarter]
                                             : "";
}

static bool set_text(struct rf_cell *cell, const char *text)
{
    return rf_cell_set_text(cell, text, strlen(text));
}

static double late_share(const struct rf_lateness *lateness, const struct rf_late_rank *rank)
{
    return lateness->span_ns > 0 ? 100 * rank->late_ns * (double)rank->n / (double)lateness->span_ns
                                 : (double)NAN;
}

static bool add_row(struct rf_table *table, const struct rf_job *job,
                    const struct rf_lateness *lateness, size_t i)
{
    const struct rf_late_rank *rank = &lateness->rank[i];
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[RANK].count = (uint64_t)job->ranks.rank[i].rank;
    row[LATE_SHARE].real = late_share(lateness, rank);
    row[LATE].real = rank->late_ns;
    row[ERROR].real = rank->error_ns;
    row[TIMES_LAST].count = rank->n_last;
    row[LAST_SHARE].real = rank->n > 0 ? 100 * (double)rank->n_last / (double)rank->n : (double)NAN;
    row[COST].count = rank->cost_ns;
    row[OTHERS_WAIT].count = rank->others_wait_ns;
    row[WAIT].count = rank->wait_ns;
    row[MEETINGS].count = rank->n;
    row[PARTS_LATE].count = rank->n_late;
    return set_text(&row[VERDICT], verdict_of(rank)) &&
           set_text(&row[HOST], job->ranks.rank[i].host);
}

/* ---- Notes ---- */

static void note_named(struct rf_table *table, const struct rf_job *job,
                       const struct rf_lateness *lateness, size_t i)
{
    const struct rf_late_rank *rank = &lateness->rank[i];
    if (rank->verdict == RF_LATE_ALWAYS)
        rf_table_add_note(table,
                          "rank %lld is late by %.1f %% of the time, in %u of %u parts of the run; "
                          "it comes last to %llu of %llu collectives",
                          (long long)job->ranks.rank[i].rank, late_share(lateness, rank),
                          rank->n_late, rank->n_parts, (unsigned long long)rank->n_last,
                          (unsigned long long)rank->n);
    else if (rank->verdict == RF_LATE_A_TIME)
        rf_table_add_note(table, "rank %lld is late in the %s of the run",
                          (long long)job->ranks.rank[i].rank, verdict_of(rank));
}

/* What all lose by waiting, whoever is last. */
static double waiting_share(const struct rf_lateness *lateness)
{
    double wait_ns = 0;
    for (size_t i = 0; i < lateness->n; i++)
        wait_ns += (double)lateness->rank[i].wait_ns;
    return 100 * wait_ns / (double)lateness->n / (double)lateness->span_ns;
}

#define MAX_NAMED_NOTES 4

static void add_notes(struct rf_table *table, const struct rf_job *job,
                      const struct rf_lateness *lateness)
{
    size_t n = 0;
    for (size_t i = 0; i < lateness->n; i++)
        if (lateness->rank[i].verdict != RF_LATE_NOT && n++ < MAX_NAMED_NOTES)
            note_named(table, job, lateness, i);
    if (n > MAX_NAMED_NOTES)
        rf_table_add_note(table, "%zu more ranks are late: see Straggler", n - MAX_NAMED_NOTES);
    if (job->meetings.n > 0 && job->meetings.n < RF_LATE_LEAST)
        rf_table_add_note(table, "%zu collectives are too few to tell a straggler from chance",
                          job->meetings.n);
    else if (n == 0 && lateness->span_ns > 0)
        rf_table_add_note(table,
                          "no rank is late by more than chance gives, and 0.5 %% of the time");
    if (lateness->span_ns > 0)
        rf_table_add_note(table, "a rank waits %.1f %% of the time for the last one, on average",
                          waiting_share(lateness));
    rf_job_note(job, true, table);
}

/* Those that are named first, then by what they are late. */
static int by_lateness(const void *a, const void *b, void *context)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct rf_late_rank *rank = context;
    const double x = isfinite(rank[i].late_ns) ? rank[i].late_ns : 0;
    const double y = isfinite(rank[k].late_ns) ? rank[k].late_ns : 0;
    if ((rank[i].verdict == RF_LATE_NOT) != (rank[k].verdict == RF_LATE_NOT))
        return rank[i].verdict == RF_LATE_NOT ? 1 : -1;
    if (x > y || x < y)
        return x > y ? -1 : 1;
    return (i > k) - (i < k);
}

static int add_rows(struct rf_table *table, const struct rf_job *job,
                    const struct rf_lateness *lateness)
{
    const size_t n = job->meetings.n > 0 ? lateness->n : 0;
    size_t *order = malloc((n + 1) * sizeof(*order));
    int status = order != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++)
        order[i] = i;
    if (status == RF_OK && n > 0)
        qsort_r(order, n, sizeof(*order), by_lateness, lateness->rank);
    for (size_t i = 0; i < n && status == RF_OK; i++)
        status = add_row(table, job, lateness, order[i]) ? RF_OK : RF_ERR_NO_MEMORY;
    free(order);
    return status;
}

static int show_job(const struct rf_report *report, const rf_summary *summary,
                    struct rf_table *table, struct rf_err *err)
{
    struct rf_lateness lateness = {.n = 0};
    struct rf_job job;
    int status = rf_job_open(&job, summary, report->name, err);
    if (status == RF_OK && (rf_lateness_init(&lateness, &job.meetings, &job.ranks) != RF_OK ||
                            add_rows(table, &job, &lateness) != RF_OK))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK)
        add_notes(table, &job, &lateness);
    rf_lateness_release(&lateness);
    rf_job_close(&job);
    return status;
}

const struct rf_report rf_report_stragglers = {
    .name = "stragglers",
    .description = "the ranks that the others wait for, how often, and what it costs",
    .needs = RF_NEEDS_RANK | RF_NEEDS_COLLECTIVES,
    .title = "Stragglers",
    RF_REPORT_COLUMNS(columns),
    .compute = rf_report_job_of_recording,
    .compute_job = show_job,
};
