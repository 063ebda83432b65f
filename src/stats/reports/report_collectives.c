/* SPDX-License-Identifier: Apache-2.0 */
/* collectives: the operations in which ranks or GPUs exchange data, and how far apart the ranks
 * arrive at them. */
#include <stdlib.h>

#include "stats/collective_rows.h"
#include "stats/ranks/meeting_clocks.h"
#include "stats/report.h"
#include "summary/summary_data.h"

static const struct rf_column columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of operations, of each rank"),
    [RF_COLLECTIVE_BYTES_SUM] = {"Bytes", RF_COLUMN_SIGNED,
                                 "sum of the bytes that payloads, or MPI, say of the operations; "
                                 "None: not known"},
    [RF_COLLECTIVE_BANDWIDTH] = {"Bandwidth (B/s)", RF_COLUMN_REAL,
                                 "Bytes by the time of those operations; None: not known"},
    [RF_COLLECTIVE_RANKS] = {"Ranks", RF_COLUMN_COUNT,
                             "number of ranks that are known to take part"},
    [RF_COLLECTIVE_COMPARED] = {"Compared", RF_COLUMN_COUNT,
                                "operations whose arrival is compared: the n-th ones of at least "
                                "two ranks, each with one"},
    [RF_COLLECTIVE_MEAN_SPREAD] =
        {"Avg Spread (ns)", RF_COLUMN_REAL,
         "mean of the time from the first rank's start to the last one's; of several hosts a line "
         "below says by which clocks; None: nothing is compared"},
    [RF_COLLECTIVE_MAX_SPREAD] = {"Max Spread (ns)", RF_COLUMN_SIGNED,
                                  "longest such time; None: nothing is compared"},
    [RF_COLLECTIVE_MEAN_WAIT] =
        {"Avg Wait (ns)", RF_COLUMN_REAL,
         "mean over Compared and their ranks of the duration less the shortest one of the ranks, "
         "for which no clocks are compared; None: nothing is, or calls return before the "
         "operation is done"},
    [RF_COLLECTIVE_MEAN_TRANSFER] = {"Avg Transfer (ns)", RF_COLUMN_REAL,
                                     "mean over Compared of the shortest duration of the ranks, "
                                     "that of the last one; None: likewise"},
    [RF_COLLECTIVE_LAST_RANK] =
        {"Last Rank", RF_COLUMN_SIGNED,
         "rank that starts last most often, of several the lowest; None: nothing is compared, or "
         "all start at once"},
    [RF_COLLECTIVE_TIMES_LAST] = {"Times Last", RF_COLUMN_SIGNED,
                                  "how often it does; None: likewise"},
    [RF_COLLECTIVE_KIND] =
        {"Kind", RF_COLUMN_WORD,
         "nccl (ranges of the domain NCCL), nccl_kernel (kernels of NCCL and RCCL), mpi (as nsys "
         "recorded it), mpi_range (ranges of the domain MPI), range (those of "
         "--collective), torch (record_param_comms)"},
    [RF_COLLECTIVE_COMMUNICATOR_ID] = {"Communicator", RF_COLUMN_ID,
                                       "id of the communicator; None: not known"},
    [RF_COLLECTIVE_OPERATION] = {"Operation", RF_COLUMN_TEXT,
                                 "name of the operation without that of its library"},
};

static const struct rf_quantile_place quantiles[] = {RF_SUMMARY_QUANTILES};

static int sum_up(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                  struct rf_err *err)
{
    struct rf_collectives found;
    (void)report;
    int status = rf_collectives_find(rec, table->collective, &found, err);
    if (status == RF_OK)
        status = rf_collective_rows_add(table, found.item, found.n, true);
    if (status == RF_OK && found.n == 0)
        rf_table_add_note(table, "there is no collective of NCCL or MPI");
    rf_collectives_release(&found);
    return status;
}

/* The ranks of a job on several hosts, and where their clocks are. */
struct job_clocks {
    struct rf_job_ranks job;
    struct rf_meetings meetings;
};

static int find_clocks(struct job_clocks *clocks, const rf_summary *summary, uint32_t input)
{
    *clocks = (struct job_clocks){.job = {.n = 0}};
    if (summary->input[input].n_inputs < 2)
        return RF_OK; /* a recording has one clock */
    int status = rf_job_ranks_init(&clocks->job, summary);
    return status == RF_OK ? rf_meetings_init(&clocks->meetings, summary, &clocks->job) : status;
}

static void release_clocks(struct job_clocks *clocks)
{
    rf_meetings_release(&clocks->meetings);
    rf_job_ranks_release(&clocks->job);
}

/* Puts the times of a rank's instance beside those of the others. */
static void move(const struct job_clocks *clocks, struct rf_collective *item)
{
    const uint32_t rank = rf_job_ranks_find(&clocks->job, item->rank);
    if (rank == RF_NO_INDEX)
        return;
    item->start_ns = rf_meeting_clocks_ns(&clocks->meetings.clocks, rank, item->start_ns);
    item->end_ns = rf_meeting_clocks_ns(&clocks->meetings.clocks, rank, item->end_ns);
}

/* Instances as the recording had them; their times are UTC. Free the result; NULL: out of memory.
 */
static struct rf_collective *list_input(const rf_summary *summary, uint32_t input,
                                        const struct job_clocks *clocks, size_t *n)
{
    const struct rf_summary_collectives *all = &summary->collectives;
    struct rf_collective *item = malloc((all->n + 1) * sizeof(*item));
    *n = 0;
    for (size_t i = 0; i < all->n && item != NULL; i++) {
        const struct rf_summary_collective *from = &all->item[i];
        if (from->input != input)
            continue;
        struct rf_collective *to = &item[(*n)++];
        *to = (struct rf_collective){.start_ns = from->start_utc_ns,
                                     .end_ns = from->end_utc_ns,
                                     .communicator = (uint64_t)from->communicator,
                                     .has_communicator = from->communicator != -1,
                                     .bytes = (uint64_t)from->bytes,
                                     .has_bytes = from->bytes >= 0,
                                     .number = from->number,
                                     .rank = from->rank,
                                     .kind = (uint8_t)from->kind};
        to->operation = rf_summary_text(summary, from->operation, &to->operation_size);
        move(clocks, to);
    }
    return item;
}

static void add_notes(struct rf_table *table, const rf_summary *summary, uint32_t input,
                      const struct job_clocks *clocks)
{
    const struct rf_searched searched = rf_searched_of(&summary->collectives.searched, input);
    const uint64_t n_inputs = summary->input[input].n_inputs;
    if (clocks->meetings.are_apart)
        rf_meetings_note_apart(&clocks->meetings, &clocks->job, table);
    else if (clocks->meetings.was_clock)
        rf_table_add_note(table, "do not trust Spread and Last Rank: by the clocks operations end "
                                 "before their last rank begins");
    else if (clocks->meetings.clocks.n_hosts > 0)
        rf_meeting_clocks_note(&clocks->meetings.clocks, table);
    else if (clocks->job.has_hosts && table->n_rows > 0)
        rf_table_add_note(table, "the recordings are of several hosts, whose clocks could not be "
                                 "put side by side: Spread and Last Rank go by them as they are");
    if (searched.n_left_out > 0)
        rf_table_add_note(table,
                          "%llu collectives behind the first ones were left out: "
                          "'rangefinder summarize --max-collectives' keeps more",
                          (unsigned long long)searched.n_left_out);
    if (searched.n_searched < n_inputs)
        rf_table_add_note(table,
                          "in %llu of %llu recordings collectives were not looked for: "
                          "'rangefinder summarize --steps' does",
                          (unsigned long long)(n_inputs - searched.n_searched),
                          (unsigned long long)n_inputs);
}

static int show_input(const struct rf_report *report, const struct rf_summary *summary,
                      uint32_t input, struct rf_table *table, struct rf_err *err)
{
    size_t n;
    struct job_clocks clocks;
    struct rf_collective *item = NULL;
    (void)report;
    int status = find_clocks(&clocks, summary, input);
    if (status == RF_OK)
        item = list_input(summary, input, &clocks, &n);
    if (status == RF_OK)
        status = item != NULL ? rf_collective_rows_add(table, item, n, !clocks.meetings.are_apart)
                              : RF_ERR_NO_MEMORY;
    free(item);
    add_notes(table, summary, input, &clocks);
    release_clocks(&clocks);
    return rf_summary_fail(status, summary->input[input].path, err);
}

const struct rf_report rf_report_collectives = {
    .name = "collectives",
    .description = "operations of NCCL and MPI, and how far apart the ranks arrive",
    .needs = RF_NEEDS_COLLECTIVES,
    .title = "Collectives",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantiles),
    .compute = sum_up,
    .compute_summary = show_input,
    .compares_inputs = true,
};
