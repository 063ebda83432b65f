/* SPDX-License-Identifier: Apache-2.0 */
/* rank_summary: what each rank of a job does with its time. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stats/ranks/rank_times.h"
#include "stats/report.h"
#include "stats/summary_rows.h"

enum {
    RANK,
    TIME,
    OWN_SHARE,
    OWN,
    COLLECTIVE,
    WAIT,
    GPU_BUSY,
    GPU_WAIT,
    STEPS,
    STEP_MEAN,
    SLOWEST,
    SLOWEST_STEP,
    COLLECTIVES,
    DURATION,
    EVENTS,
    LOST,
    HOST,
    INPUT
};

static const struct rf_column columns[] = {
    [RANK] = {"Rank", RF_COLUMN_ID, "rank of the process in its job, or what --rank-from says"},
    [TIME] = {"Time (ns)", RF_COLUMN_COUNT,
              "time in the steps of the thread that has most of it in steps; without steps from "
              "the first collective to the last one, or Duration"},
    [OWN_SHARE] = {"Busy (%)", RF_COLUMN_REAL, "share of Busy in Time; None: no time"},
    [OWN] = {"Busy (ns)", RF_COLUMN_COUNT, "Time that is not in collectives"},
    [COLLECTIVE] = {"In Collectives (ns)", RF_COLUMN_COUNT,
                    "Time that is: they transfer, or wait for other ranks"},
    [WAIT] = {"Own Wait (ns)", RF_COLUMN_COUNT,
              "time for which it waits for the last rank in collectives that are compared"},
    [GPU_BUSY] = {"GPU Busy (ns)", RF_COLUMN_COUNT, "GPU work that its steps cause"},
    [GPU_WAIT] = {"GPU Wait (ns)", RF_COLUMN_COUNT,
                  "time of its steps in calls that wait for a GPU"},
    [STEPS] = {"Steps", RF_COLUMN_COUNT, "steps of its thread"},
    [STEP_MEAN] = {"Avg Step (ns)", RF_COLUMN_REAL, "mean duration of them; None: no steps"},
    [SLOWEST] = {"Max Step (ns)", RF_COLUMN_SIGNED, "longest of them; None: likewise"},
    [SLOWEST_STEP] = {"Slowest", RF_COLUMN_ID, "number of that step, from 1; None: likewise"},
    [COLLECTIVES] = {"Collectives", RF_COLUMN_COUNT,
                     "operations that end when the operation is done"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_SIGNED,
                  "of its recording; None: that has several ranks"},
    [EVENTS] = {"Events", RF_COLUMN_SIGNED, "of its recording; None: likewise"},
    [LOST] = {"Lost", RF_COLUMN_SIGNED,
              "events of its recording that could not be recorded; None: likewise"},
    [HOST] = {"Host", RF_COLUMN_TEXT, "name of the machine"},
    [INPUT] = {"Input", RF_COLUMN_TEXT, "path of the recording"},
};

static void set_steps(struct rf_cell *row, const struct rf_rank_times *times, size_t i)
{
    const struct rf_rank_time *time = &times->rank[i];
    const struct rf_summary_step *slowest = NULL;
    double total = 0;
    for (size_t k = 0; k < time->n_steps; k++) {
        const struct rf_summary_step *step = rf_rank_times_step(times, i, k);
        total += (double)step->duration;
        if (slowest == NULL || step->duration > slowest->duration)
            slowest = step;
    }
    row[STEPS].count = time->n_steps;
    row[STEP_MEAN].real = slowest != NULL ? total / (double)time->n_steps : (double)NAN;
    row[SLOWEST].time = slowest != NULL ? (int64_t)slowest->duration : RF_NO_TIME;
    row[SLOWEST_STEP].count = slowest != NULL ? slowest->number : RF_NO_ID;
}

static void set_input(struct rf_cell *row, const struct rf_summary_input *input, int64_t rank)
{
    const bool is_own = input->rank == rank && input->n_inputs == 1;
    row[DURATION].time = is_own ? (int64_t)input->duration_ns : RF_NO_TIME;
    row[EVENTS].time = is_own ? (int64_t)input->n_events : RF_NO_TIME;
    row[LOST].time = is_own ? (int64_t)input->n_lost : RF_NO_TIME;
}

static bool add_row(struct rf_table *table, const struct rf_job *job,
                    const struct rf_rank_times *times, size_t i)
{
    const struct rf_rank_time *time = &times->rank[i];
    const struct rf_job_rank *rank = &job->ranks.rank[i];
    const struct rf_summary_input *input = &job->summary->input[rank->input];
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    const uint64_t own_ns = time->time_ns - time->collective_ns;
    row[RANK].count = (uint64_t)rank->rank;
    row[TIME].count = time->time_ns;
    row[OWN].count = own_ns;
    row[OWN_SHARE].real =
        time->time_ns > 0 ? 100 * (double)own_ns / (double)time->time_ns : (double)NAN;
    row[COLLECTIVE].count = time->collective_ns;
    row[WAIT].count = time->wait_ns;
    row[GPU_BUSY].count = time->gpu_ns;
    row[GPU_WAIT].count = time->gpu_wait_ns;
    row[COLLECTIVES].count = time->n_collectives;
    set_steps(row, times, i);
    set_input(row, input, rank->rank);
    return rf_cell_set_text(&row[HOST], rank->host, strlen(rank->host)) &&
           rf_cell_set_text(&row[INPUT], input->path, strlen(input->path));
}

/* Ranks whose loops are not of one length. */
static void note_lengths(struct rf_table *table, const struct rf_rank_times *times)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < times->n; i++) {
        const size_t n = times->rank[i].n_steps;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (times->n > 0 && least != most)
        rf_table_add_note(table, "ranks have from %zu to %zu steps", least, most);
}

static int list_ranks(const struct rf_report *report, const rf_summary *summary,
                      struct rf_table *table, struct rf_err *err)
{
    struct rf_rank_times times = {.n = 0};
    struct rf_job job;
    int status = rf_job_open(&job, summary, report->name, err);
    if (status == RF_OK && rf_rank_times_init(&times, &job) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < times.n && status == RF_OK; i++)
        if (!add_row(table, &job, &times, i))
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK) {
        note_lengths(table, &times);
        rf_job_note(&job, true, table);
    }
    rf_rank_times_release(&times);
    rf_job_close(&job);
    return status;
}

const struct rf_report rf_report_rank_summary = {
    .name = "rank_summary",
    .description = "a row for each rank: time, own work, waits, GPU, steps and the slowest",
    .needs = RF_NEEDS_RANK,
    .title = "Ranks",
    RF_REPORT_COLUMNS(columns),
    .compute = rf_report_job_of_recording,
    .compute_job = list_ranks,
};
