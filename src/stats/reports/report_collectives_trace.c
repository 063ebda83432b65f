/* SPDX-License-Identifier: Apache-2.0 */
/* collectives_trace: every operation that several ranks have, and how each came to it. */
#include "base/error.h"
#include "model/collectives/collectives.h"
#include "stats/ranks/job.h"
#include "stats/report.h"
#include "stats/summary_rows.h"

enum { START, NUMBER, RANK, ARRIVAL, WAIT, TRANSFER, DURATION, IS_LAST, KIND, COMMUNICATOR, NAME };

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME,
               "by the clock of the rank, or of the first host if clocks were put side by side, "
               "since the first "
               "start of all collectives"},
    [NUMBER] = {"Number", RF_COLUMN_ID,
                "among those of its operation and communicator on the rank, from 1"},
    [RANK] = {"Rank", RF_COLUMN_ID, "rank of the process in its job, or what --rank-from says"},
    [ARRIVAL] = {"Arrival (ns)", RF_COLUMN_COUNT,
                 "how much later than the first rank it comes, by what the note says"},
    [WAIT] = {"Own Wait (ns)", RF_COLUMN_COUNT, "how long it waits for the last rank"},
    [TRANSFER] = {"Transfer (ns)", RF_COLUMN_SIGNED,
                  "from the arrival of the last rank to the end on this one"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "from its start to its end"},
    [IS_LAST] = {"Last", RF_COLUMN_TEXT, "last: it comes behind all others; otherwise empty"},
    [KIND] = {"Kind", RF_COLUMN_WORD, "as in collectives"},
    [COMMUNICATOR] = {"Communicator", RF_COLUMN_ID, "id of the communicator; None: not known"},
    [NAME] = {"Operation", RF_COLUMN_TEXT, "name of the operation without that of its library"},
};

/* Times of a hostile file may lie further apart than a cell holds. */
static int64_t since(int64_t ns, int64_t first_ns)
{
    int64_t since_ns;
    return __builtin_sub_overflow(ns, first_ns, &since_ns) ? INT64_MAX : since_ns;
}

static bool add_row(struct rf_table *table, const struct rf_job *job,
                    const struct rf_meeting *meeting, const struct rf_member *member)
{
    const bool is_last = meeting->last == member->rank;
    const uint64_t duration = (uint64_t)member->end_ns - (uint64_t)member->start_ns;
    size_t size;
    const char *name = rf_summary_text(job->summary, meeting->of->operation, &size);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[START].time = since(member->start_ns, job->meetings.meeting[0].start_ns);
    row[NUMBER].count = meeting->of->number;
    row[RANK].count = (uint64_t)job->ranks.rank[member->rank].rank;
    row[WAIT].count = member->wait_ns;
    row[TRANSFER].time = (int64_t)(duration - member->wait_ns);
    row[DURATION].count = duration;
    rf_cell_set_word(&row[KIND], rf_collective_kind_name(meeting->of->kind));
    row[COMMUNICATOR].count =
        meeting->of->communicator != -1 ? (uint64_t)meeting->of->communicator : RF_NO_ID;
    return rf_cell_set_text(&row[IS_LAST], is_last ? "last" : "", is_last ? 4 : 0) &&
           rf_cell_set_text(&row[NAME], name != NULL ? name : "", name != NULL ? size : 0);
}

/* The one that waits longest comes first. */
static void set_arrivals(struct rf_table *table, const struct rf_meeting *meeting)
{
    struct rf_cell *row = &table->cells[(table->n_rows - meeting->n) * table->n_columns];
    uint64_t longest = 0;
    for (size_t i = 0; i < meeting->n; i++)
        if (row[i * table->n_columns + WAIT].count > longest)
            longest = row[i * table->n_columns + WAIT].count;
    for (size_t i = 0; i < meeting->n; i++, row += table->n_columns)
        row[ARRIVAL].count = longest - row[WAIT].count;
}

static int add_rows(struct rf_table *table, const struct rf_job *job)
{
    const struct rf_meetings *meetings = &job->meetings;
    for (size_t i = 0; i < meetings->n; i++) {
        const struct rf_meeting *meeting = &meetings->meeting[i];
        for (size_t k = 0; k < meeting->n; k++)
            if (!add_row(table, job, meeting, &meetings->member[meeting->first + k]))
                return RF_ERR_NO_MEMORY;
        set_arrivals(table, meeting);
    }
    return RF_OK;
}

static int list_job(const struct rf_report *report, const rf_summary *summary,
                    struct rf_table *table, struct rf_err *err)
{
    struct rf_job job;
    int status = rf_job_open(&job, summary, report->name, err);
    if (status == RF_OK && add_rows(table, &job) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK)
        rf_job_note(&job, true, table);
    rf_job_close(&job);
    return status;
}

const struct rf_report rf_report_collectives_trace = {
    .name = "collectives_trace",
    .description = "every collective of each rank: when it came, how long it waited",
    .needs = RF_NEEDS_RANK | RF_NEEDS_COLLECTIVES,
    .title = "Collectives of Ranks",
    RF_REPORT_COLUMNS(columns),
    .compute = rf_report_job_of_recording,
    .compute_job = list_job,
};
