/* SPDX-License-Identifier: Apache-2.0 */
/* launch_latency: how long after its call each kernel began, what was queued before it, and whether
 * its GPU was idle until then, by GPU and name. */
#include <stdlib.h>

#include "base/error.h"
#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/gpu_idle.h"
#include "stats/gpu_pieces.h"
#include "stats/group_by.h"
#include "stats/kernel_names.h"
#include "stats/quantile_columns.h"
#include "stats/queue_depths.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

enum {
    GPU,
    COUNT,
    BOUND,
    IDLE,
    LATENCY,
    QUEUE = LATENCY + 5,
    QUEUE_MEDIAN,
    QUEUE_MAX,
    DEPTH,
    DEPTH_MEDIAN,
    DEPTH_MAX,
    NAME
};

#define LATENCY_MEANS "the time from the start of the call to the start of the kernel"
#define QUEUE_MEANS                                                                                \
    "the time from the end of the call to the start of the kernel, 0 if it started before"
#define DEPTH_MEANS                                                                                \
    "the pieces of work of the stream that had been asked for when the call began, and had not "   \
    "ended"

static const struct rf_column columns[] = {
    [GPU] = {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    [COUNT] = {"Count", RF_COLUMN_COUNT,
               "number of calls that launched it; of a graph the kernel that began first counts"},
    [BOUND] = {"Bound (%)", RF_COLUMN_SHARE,
               "share of these launches for which the GPU was idle: it had nothing else to do, and "
               "the call had not returned when it became idle"},
    [IDLE] = {"Idle (ns)", RF_COLUMN_COUNT,
              "sum of the time for which the GPU was idle before these; without the time before "
              "its first work"},
    [LATENCY] = {"LAvg (ns)", RF_COLUMN_REAL, "mean of " LATENCY_MEANS},
    {"LMed (ns)", RF_COLUMN_REAL, "median of " LATENCY_MEANS},
    {"LMin (ns)", RF_COLUMN_COUNT, "least of " LATENCY_MEANS},
    {"LMax (ns)", RF_COLUMN_COUNT, "longest of " LATENCY_MEANS},
    {"LStdDev (ns)", RF_COLUMN_REAL, "standard deviation (n - 1) of " LATENCY_MEANS},
    [QUEUE] = {"QAvg (ns)", RF_COLUMN_REAL, "mean of " QUEUE_MEANS},
    [QUEUE_MEDIAN] = {"QMed (ns)", RF_COLUMN_REAL, "median of " QUEUE_MEANS},
    [QUEUE_MAX] = {"QMax (ns)", RF_COLUMN_COUNT, "longest of " QUEUE_MEANS},
    [DEPTH] = {"DAvg", RF_COLUMN_REAL, "mean of " DEPTH_MEANS},
    [DEPTH_MEDIAN] = {"DMed", RF_COLUMN_REAL, "median of " DEPTH_MEANS},
    [DEPTH_MAX] = {"DMax", RF_COLUMN_COUNT, "most of " DEPTH_MEANS},
    [NAME] =
        {"Name", RF_COLUMN_WORD,
         "demangled name of the kernel, or a shorter one where that is not known; [CUDA graph] "
         "for one that was recorded as a whole"},
};

static const struct rf_quantile_place quantile_places[] = {
    {QUEUE, "L", " (ns)", RF_COLUMN_SIGNED},
    {DEPTH, "Q", " (ns)", RF_COLUMN_SIGNED},
    {NAME, "D", "", RF_COLUMN_SIGNED},
};

enum part { PART_LATENCY, PART_QUEUE, PART_DEPTH, N_PARTS };
enum key { KEY_GPU, KEY_KIND, KEY_NAME };
enum sum { SUM_BOUND, SUM_IDLE_NS };

#define NOT_BOUND UINT64_MAX

struct summary {
    const rf_recording *rec;
    struct rf_kernel_names *names;
    struct rf_gpu_pieces pieces;
    struct rf_queue_depths depths;
    uint64_t *idle_ns; /* per piece of work: before it, if the GPU waited for it; NOT_BOUND */
    uint32_t *gpu;     /* per piece of work */
    struct rf_group_by part[N_PARTS]; /* the same keys in each, in the same order */
    uint64_t n_early, n_unknown;
};

/* ---- What is idle ---- */

static void find_idle_gpu(struct summary *sum, const struct rf_gpu_piece *piece, size_t n)
{
    int64_t end_ns = INT64_MIN; /* of all so far */
    for (size_t i = 0; i < n; i++) {
        const struct rf_call *call = rf_call_of_work(sum->rec, rf_gpu_op_at(sum->rec, piece[i].op));
        const bool is_idle = i == 0 || piece[i].start_ns > end_ns;
        sum->gpu[piece[i].op] = piece[i].gpu;
        if (is_idle && !rf_was_called_before(call, end_ns))
            sum->idle_ns[piece[i].op] = i > 0 ? (uint64_t)piece[i].start_ns - (uint64_t)end_ns : 0;
        end_ns = piece[i].end_ns > end_ns ? piece[i].end_ns : end_ns;
    }
}

static bool find_idle(struct summary *sum)
{
    size_t n = 0;
    (void)rf_gpu_ops(sum->rec, &n);
    sum->idle_ns = malloc((n + 1) * sizeof(*sum->idle_ns));
    sum->gpu = calloc(n + 1, sizeof(*sum->gpu));
    if (sum->idle_ns == NULL || sum->gpu == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        sum->idle_ns[i] = NOT_BOUND;
    for (size_t first = 0, end; first < sum->pieces.n; first = end) {
        end = rf_gpu_pieces_end(&sum->pieces, first);
        find_idle_gpu(sum, &sum->pieces.piece[first], end - first);
    }
    rf_gpu_pieces_release(&sum->pieces); /* what follows needs as much */
    sum->pieces = (struct rf_gpu_pieces){.n = 0};
    return true;
}

/* ---- Launches ---- */

static bool is_launched(const struct rf_gpu_op *op)
{
    return op->kind == RF_OP_KERNEL || op->kind == RF_OP_GRAPH;
}

/* The kernel or graph of a call that began first; NULL: none. */
static const struct rf_gpu_op *find_first(const struct rf_gpu_op *ops, size_t n,
                                          const struct rf_call *call, uint32_t *index)
{
    const struct rf_gpu_op *first = NULL;
    for (uint32_t i = call->first_op; i < n; i = ops[i].next_op)
        if (is_launched(&ops[i]) && (first == NULL || ops[i].start_ns < first->start_ns)) {
            first = &ops[i];
            *index = i;
        }
    return first;
}

static uint64_t time_until(int64_t from_ns, int64_t to_ns)
{
    return to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;
}

static bool add_launch(struct summary *sum, const struct rf_call *call, const struct rf_gpu_op *op,
                       uint32_t index)
{
    struct rf_work_name name;
    if (!rf_work_name_find(sum->names, op, &name))
        return false;
    const uint32_t key[RF_GROUP_KEYS] = {
        [KEY_GPU] = sum->gpu[index], [KEY_KIND] = name.kind, [KEY_NAME] = name.name};
    const uint64_t values[N_PARTS] = {
        [PART_LATENCY] = time_until(call->start_ns, op->start_ns),
        [PART_QUEUE] = time_until(call->end_ns, op->start_ns),
        [PART_DEPTH] = rf_queue_depth_at(&sum->depths, op->track, call->start_ns)};
    sum->n_early += op->start_ns < call->start_ns;
    for (int i = 0; i < N_PARTS; i++) {
        struct rf_group *group = rf_group_by_add(&sum->part[i], key, values[i]);
        if (group == NULL)
            return false;
        if (i > 0 || sum->idle_ns[index] == NOT_BOUND)
            continue;
        group->sums[SUM_BOUND]++;
        group->sums[SUM_IDLE_NS] += sum->idle_ns[index];
    }
    return true;
}

static bool add_launches(struct summary *sum)
{
    size_t n_ops = 0;
    const struct rf_gpu_op *ops = rf_gpu_ops(sum->rec, &n_ops);
    for (size_t i = 0; i < n_ops; i++)
        sum->n_unknown += is_launched(&ops[i]) && rf_call_of_work(sum->rec, &ops[i]) == NULL;
    for (uint32_t t = 0; t < rf_n_threads(sum->rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(sum->rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            uint32_t index = 0;
            const struct rf_gpu_op *op = find_first(ops, n_ops, &call[i], &index);
            if (op != NULL && !add_launch(sum, &call[i], op, index))
                return false;
        }
    }
    bool is_done = true;
    for (int i = 0; i < N_PARTS; i++)
        is_done = rf_group_by_measure(&sum->part[i]) && is_done;
    return is_done;
}

/* ---- Rows ---- */

static void set_launches(struct rf_cell *row, uint64_t n, const uint64_t *sums)
{
    row[COUNT].count = n;
    row[BOUND].real = 100 * (double)sums[SUM_BOUND] / (double)n;
    row[IDLE].count = sums[SUM_IDLE_NS];
}

static void set_part(struct rf_cell *row, enum part part, const struct rf_durations *measured)
{
    const int mean = part == PART_QUEUE ? QUEUE : DEPTH;
    if (part == PART_LATENCY) {
        rf_cells_set_durations(&row[LATENCY], measured);
        return;
    }
    row[mean].real = measured->mean_ns;
    row[mean + 1].real = measured->median_ns;
    row[mean + 2].count = measured->max_ns;
}

static bool add_row(struct rf_table *table, const struct summary *sum, size_t i)
{
    const struct rf_group *group = &sum->part[PART_LATENCY].group[i];
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[GPU].count = group->key[KEY_GPU];
    set_launches(row, group->n, group->sums);
    for (int p = 0; p < N_PARTS; p++)
        set_part(row, (enum part)p, &sum->part[p].group[i].measured);
    for (size_t p = 0; p < N_PARTS; p++)
        rf_row_set_quantiles(table, row, p, &sum->part[p].group[i]);
    rf_work_name_set(sum->names, &row[NAME],
                     (struct rf_work_name){group->key[KEY_KIND], group->key[KEY_NAME]});
    return true;
}

static void add_notes(struct rf_table *table, uint64_t n_unknown, uint64_t n_early)
{
    if (n_unknown > 0)
        rf_table_add_note(table, "kernels without a known call, which are left out: %llu",
                          (unsigned long long)n_unknown);
    if (n_early > 0)
        rf_table_add_note(table,
                          "kernels that began before their call, by the clock, whose time from "
                          "there counts as 0: %llu",
                          (unsigned long long)n_early);
}

static int collect(struct summary *sum, struct rf_table *table, struct rf_err *err)
{
    int status = rf_kernel_names_begin(sum->rec, table, &sum->names, err);
    for (int i = 0; i < N_PARTS; i++)
        sum->part[i].quantiles = &table->quantiles;
    if (status == RF_OK)
        status = rf_gpu_pieces_init(&sum->pieces, sum->rec);
    if (status == RF_OK && !find_idle(sum))
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = rf_queue_depths_init(&sum->depths, sum->rec);
    if (status == RF_OK && !add_launches(sum))
        status = RF_ERR_NO_MEMORY;
    return status;
}

static void release(struct summary *sum)
{
    for (int i = 0; i < N_PARTS; i++)
        rf_group_by_release(&sum->part[i]);
    rf_queue_depths_release(&sum->depths);
    rf_gpu_pieces_release(&sum->pieces);
    free(sum->idle_ns);
    free(sum->gpu);
}

static int sum_launches(const struct rf_report *report, const rf_recording *rec,
                        struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec};
    (void)report;
    int status = collect(&sum, table, err);
    for (size_t i = 0; i < sum.part[PART_LATENCY].n && status == RF_OK; i++)
        if (!add_row(table, &sum, i))
            status = RF_ERR_NO_MEMORY;
    add_notes(table, sum.n_unknown, sum.n_early);
    rf_table_sort_by_total(table, IDLE);
    release(&sum);
    return status;
}

/* ---- Of summaries ---- */

static const enum rf_tally_kind tally_of[N_PARTS] = {[PART_LATENCY] = RF_TALLY_LATENCY,
                                                     [PART_QUEUE] = RF_TALLY_LATENCY_QUEUE,
                                                     [PART_DEPTH] = RF_TALLY_LATENCY_DEPTH};

/* To where the values of a part go. */
struct taking {
    struct rf_collecting *c;
    const struct summary *sum;
    enum part part;
};

static void take(void *context, const struct rf_group *group)
{
    const struct taking *to = context;
    struct rf_collecting *c = to->c;
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    struct rf_cell name;
    rf_work_name_set(to->sum->names, &name,
                     (struct rf_work_name){group->key[KEY_KIND], group->key[KEY_NAME]});
    key.kind = tally_of[to->part];
    key.name = rf_strings_add(&c->summary->strings, name.text, name.size);
    key.device = group->key[KEY_GPU];
    if (key.name == RF_NO_STRING)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < group->n && c->status == RF_OK; i++)
        rf_collect_tally(c, &key, group->values[i]);
    for (unsigned i = 0; i < 2 && to->part == PART_LATENCY; i++)
        rf_collect_tally_sum(c, &key, i, group->sums[i]);
}

static void collect_latencies(const struct rf_report *report, struct rf_collecting *c)
{
    struct summary sum = {.rec = c->rec};
    struct taking taking[N_PARTS];
    struct rf_table table = {.n_rows = 0};
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* they are not known one by one */
    for (int i = 0; i < N_PARTS; i++) {
        rf_collect_searched(c, tally_of[i]);
        taking[i] = (struct taking){c, &sum, (enum part)i};
        sum.part[i].take = take;
        sum.part[i].context = &taking[i];
    }
    (void)rf_collect_fail(c, collect(&sum, &table, c->err));
    rf_collect_note(c, RF_TALLY_LAUNCH_UNKNOWN, sum.n_unknown);
    rf_collect_note(c, RF_TALLY_LAUNCH_EARLY, sum.n_early);
    release(&sum);
    rf_table_release(&table);
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *latency)
{
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    row[GPU].count = rf_tally_id(latency->key.device);
    set_launches(row, latency->values.n, latency->sum);
    for (int p = 0; p < N_PARTS; p++) {
        const struct rf_tally *tally = rf_tally_beside(rows->summary, latency, tally_of[p]);
        if (tally == NULL || tally->values.n == 0) {
            rf_row_set_no_quantiles(rows->table, row, (size_t)p);
            continue;
        }
        const struct rf_durations measured = rf_summary_measure(&tally->values);
        set_part(row, (enum part)p, &measured);
        rf_row_set_summary_quantiles(rows->table, row, (size_t)p, &tally->values);
    }
    return rf_cell_set_tally_name(&row[NAME], rows->summary, &latency->key);
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_LATENCY, table, IDLE, add_tally);
    if (status != RF_OK)
        return status;
    add_notes(table, rf_summary_note(summary, input, RF_TALLY_LAUNCH_UNKNOWN),
              rf_summary_note(summary, input, RF_TALLY_LAUNCH_EARLY));
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_LATENCY);
    return RF_OK;
}

const struct rf_report rf_report_launch_latency = {
    .name = "launch_latency",
    .description = "how long after its call each kernel began, and if the GPU waited for it",
    .needs = RF_NEEDS_CUDA_CALLS | RF_NEEDS_GPU_WORK,
    .title = "CUDA Launch Latency",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .can = RF_CAN_NAME_WORK,
    .compute = sum_launches,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_LATENCY,
    .collect = collect_latencies,
};
