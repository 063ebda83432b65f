/* SPDX-License-Identifier: Apache-2.0 */
/* balance: how evenly the ranks of a job share its work, by the metrics of POP. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/ranks/rank_times.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/summary_rows.h"

enum { RANGE, RANKS, TIME, MEAN, MOST, MOST_RANK, LEAST, BALANCE, COMMUNICATION, PARALLEL };

static const struct rf_column columns[] = {
    [RANGE] = {"Range", RF_COLUMN_TEXT,
               "(all): the time in steps; else domain:message of a range directly inside a step"},
    [RANKS] = {"Ranks", RF_COLUMN_COUNT, "number of ranks that have it"},
    [TIME] = {"Time (ns)", RF_COLUMN_SIGNED,
              "of (all): the longest time of a rank in steps; None of others"},
    [MEAN] = {"Avg Useful (ns)", RF_COLUMN_REAL,
              "mean over the ranks of the time that is not in collectives; of a range: of the "
              "time in it"},
    [MOST] = {"Max Useful (ns)", RF_COLUMN_COUNT, "the same of the rank with most"},
    [MOST_RANK] = {"Max Rank", RF_COLUMN_ID, "that rank, of several the lowest"},
    [LEAST] = {"Min Useful (ns)", RF_COLUMN_COUNT, "the same of the rank with least"},
    [BALANCE] = {"Load Balance (%)", RF_COLUMN_REAL, "Avg Useful by Max Useful; None: that is 0"},
    [COMMUNICATION] = {"Comm. Efficiency (%)", RF_COLUMN_REAL,
                       "Max Useful by Time; None: that is not known, or 0"},
    [PARALLEL] = {"Parallel Efficiency (%)", RF_COLUMN_REAL,
                  "Load Balance times Comm. Efficiency: Avg Useful by Time; None: likewise"},
};

/* What ranks spend in something. */
struct use {
    uint32_t path; /* of the summary; RF_NO_INDEX: all */
    uint64_t *ns;  /* by rank */
};

/* Sets the figures. n: ranks, of which those without any time do not have it, if it is a range. */
static void set_use(struct rf_cell *row, const struct use *use, const struct rf_job *job,
                    uint64_t longest_ns)
{
    uint64_t most = 0, least = UINT64_MAX;
    size_t n = 0, n_ranks = 0, most_rank = 0;
    double total = 0;
    for (size_t i = 0; i < job->ranks.n; i++) {
        total += (double)use->ns[i];
        n_ranks++;
        n += use->ns[i] > 0;
        least = use->ns[i] < least ? use->ns[i] : least;
        if (use->ns[i] > most) {
            most = use->ns[i];
            most_rank = i;
        }
    }
    const double mean = total / (double)n_ranks;
    const bool is_all = use->path == RF_NO_INDEX;
    row[RANKS].count = is_all ? n_ranks : n;
    row[TIME].time = is_all ? (int64_t)longest_ns : RF_NO_TIME;
    row[MEAN].real = mean;
    row[MOST].count = most;
    row[MOST_RANK].count = (uint64_t)job->ranks.rank[most_rank].rank;
    row[LEAST].count = least;
    row[BALANCE].real = most > 0 ? 100 * mean / (double)most : (double)NAN;
    const bool has_time = is_all && longest_ns > 0;
    row[COMMUNICATION].real = has_time ? 100 * (double)most / (double)longest_ns : (double)NAN;
    row[PARALLEL].real = has_time ? 100 * mean / (double)longest_ns : (double)NAN;
}

static bool add_row(struct rf_table *table, const struct use *use, const struct rf_job *job,
                    uint64_t longest_ns)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_use(row, use, job, longest_ns);
    if (use->path == RF_NO_INDEX)
        return rf_cell_set_text(&row[RANGE], "(all)", 5);
    return rf_cell_set_path(&row[RANGE], job->summary, &job->summary->path[use->path], 0);
}

static int add_all(struct rf_table *table, const struct rf_job *job,
                   const struct rf_rank_times *times)
{
    struct use use = {RF_NO_INDEX, calloc(times->n + 1, sizeof(*use.ns))};
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < times->n && use.ns != NULL; i++) {
        use.ns[i] = times->rank[i].time_ns - times->rank[i].collective_ns;
        longest_ns = times->rank[i].time_ns > longest_ns ? times->rank[i].time_ns : longest_ns;
    }
    const bool is_done = use.ns != NULL && add_row(table, &use, job, longest_ns);
    free(use.ns);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Ranges inside steps ---- */

/* A child of a step, or several of a rank. */
struct child {
    uint32_t path, rank;
    uint64_t ns;
};

/* Ranges of one name are one, whatever the step around them is called. */
static int compare_names(const rf_summary *summary, uint32_t a, uint32_t b)
{
    const struct rf_summary_path *x = &summary->path[a], *y = &summary->path[b];
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct child *x = a, *y = b;
    const int order = compare_names(context, x->path, y->path);
    return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static size_t list_children(struct child *child, const struct rf_rank_times *times)
{
    size_t n = 0;
    for (size_t i = 0; i < times->n; i++)
        for (size_t k = 0; k < times->rank[i].n_steps; k++) {
            const struct rf_summary_step *step = rf_rank_times_step(times, i, k);
            for (size_t c = 0; c < step->n_children; c++) {
                const struct rf_summary_step_child *of =
                    &times->summary->step_child[step->first_child + c];
                child[n++] = (struct child){of->path, (uint32_t)i, of->total};
            }
        }
    return n;
}

static int add_children(struct rf_table *table, const struct rf_job *job,
                        const struct rf_rank_times *times)
{
    const rf_summary *summary = job->summary;
    struct child *child = malloc((summary->n_step_children + 1) * sizeof(*child));
    struct use use = {0, malloc((times->n + 1) * sizeof(*use.ns))};
    bool is_done = child != NULL && use.ns != NULL;
    const size_t n = is_done ? list_children(child, times) : 0;
    if (n > 0)
        qsort_r(child, n, sizeof(*child), by_name, (void *)summary);
    for (size_t begin = 0, end = 0; begin < n && is_done; begin = end) {
        memset(use.ns, 0, times->n * sizeof(*use.ns));
        use.path = child[begin].path;
        for (; end < n && compare_names(summary, child[begin].path, child[end].path) == 0; end++)
            if (__builtin_add_overflow(use.ns[child[end].rank], child[end].ns,
                                       &use.ns[child[end].rank]))
                use.ns[child[end].rank] = INT64_MAX;
        is_done = add_row(table, &use, job, 0);
    }
    free(child);
    free(use.ns);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

static int show_job(const struct rf_report *report, const rf_summary *summary,
                    struct rf_table *table, struct rf_err *err)
{
    struct rf_rank_times times = {.n = 0};
    struct rf_job job;
    int status = rf_job_open(&job, summary, report->name, err);
    if (status == RF_OK &&
        (rf_rank_times_init(&times, &job) != RF_OK || add_children(table, &job, &times) != RF_OK ||
         add_all(table, &job, &times) != RF_OK))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK) {
        const int order[] = {~TIME, ~MEAN, RANGE};
        rf_table_sort(table, order, 3);
        rf_job_note(&job, true, table);
    }
    rf_rank_times_release(&times);
    rf_job_close(&job);
    return status;
}

const struct rf_report rf_report_balance = {
    .name = "balance",
    .description = "how evenly ranks share work: load balance, communication, efficiency",
    .needs = RF_NEEDS_RANK,
    .title = "Balance of Ranks",
    RF_REPORT_COLUMNS(columns),
    .compute = rf_report_job_of_recording,
    .compute_job = show_job,
};
