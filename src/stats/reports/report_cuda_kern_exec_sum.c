/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_kern_exec_sum: how long launches took, by thread, device, function and kernel: in all (T),
 * in the call (A), between the call and the kernel (Q, of those that waited), in the kernel (K).
 * Columns are those of Nsight Systems. */
#include <math.h>

#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/group_by.h"
#include "stats/work_labels.h"
#include "stats/kernel_launches.h"
#include "stats/quantile_columns.h"
#include "stats/kernel_names.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

#define FIRST_FIGURE 5
#define FUNCTION     25
#define KERNEL       26

static const struct rf_column columns[] = {
    {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    {"TID", RF_COLUMN_ID, RF_MEANS_TID},
    {"DevId", RF_COLUMN_ID, RF_MEANS_DEVICE},
    {"Count", RF_COLUMN_COUNT, "number of launches whose call and kernel are both known"},
    {"QCount", RF_COLUMN_COUNT,
     "number of these launches whose kernel started after the call had ended, and so waited"},
    {"TAvg (ns)", RF_COLUMN_REAL,
     "mean time from the start of the call to the end of the kernel, or of the call if that is "
     "later"},
    {"TMed (ns)", RF_COLUMN_REAL,
     "median time from the start of the call to the end of the kernel, or of the call if that is "
     "later"},
    {"TMin (ns)", RF_COLUMN_COUNT,
     "shortest time from the start of the call to the end of the kernel, or of the call if that is "
     "later"},
    {"TMax (ns)", RF_COLUMN_COUNT,
     "longest time from the start of the call to the end of the kernel, or of the call if that is "
     "later"},
    {"TStdDev (ns)", RF_COLUMN_REAL,
     "standard deviation (n - 1) of the time from the start of the call to the end of the kernel, "
     "or of the call if that is later"},
    {"AAvg (ns)", RF_COLUMN_REAL, "mean time in the call"},
    {"AMed (ns)", RF_COLUMN_REAL, "median time in the call"},
    {"AMin (ns)", RF_COLUMN_COUNT, "shortest time in the call"},
    {"AMax (ns)", RF_COLUMN_COUNT, "longest time in the call"},
    {"AStdDev (ns)", RF_COLUMN_REAL, "standard deviation (n - 1) of the time in the call"},
    {"QAvg (ns)", RF_COLUMN_REAL,
     "mean time from the end of the call to the start of the kernel, of launches that waited; "
     "None: none waited"},
    {"QMed (ns)", RF_COLUMN_REAL,
     "median time from the end of the call to the start of the kernel, of launches that waited; "
     "None: none waited"},
    {"QMin (ns)", RF_COLUMN_SIGNED,
     "shortest time from the end of the call to the start of the kernel, of launches that waited; "
     "None: none waited"},
    {"QMax (ns)", RF_COLUMN_SIGNED,
     "longest time from the end of the call to the start of the kernel, of launches that waited; "
     "None: none waited"},
    {"QStdDev (ns)", RF_COLUMN_REAL,
     "standard deviation (n - 1) of the time from the end of the call to the start of the kernel, "
     "of launches that waited; None: none waited"},
    {"KAvg (ns)", RF_COLUMN_REAL, "mean time in the kernel"},
    {"KMed (ns)", RF_COLUMN_REAL, "median time in the kernel"},
    {"KMin (ns)", RF_COLUMN_COUNT, "shortest time in the kernel"},
    {"KMax (ns)", RF_COLUMN_COUNT, "longest time in the kernel"},
    {"KStdDev (ns)", RF_COLUMN_REAL, "standard deviation (n - 1) of the time in the kernel"},
    [FUNCTION] = {"API Name", RF_COLUMN_WORD, RF_MEANS_FUNCTION},
    [KERNEL] = {"Kernel Name", RF_COLUMN_WORD, RF_MEANS_KERNEL},
};

static const struct rf_quantile_place quantile_places[] = {
    {10, "T", " (ns)", RF_COLUMN_SIGNED},
    {15, "A", " (ns)", RF_COLUMN_SIGNED},
    {20, "Q", " (ns)", RF_COLUMN_SIGNED},
    {FUNCTION, "K", " (ns)", RF_COLUMN_SIGNED},
};

enum key { KEY_THREAD, KEY_DEVICE, KEY_FUNCTION, KEY_KERNEL };

/* The same keys in each, in the same order. */
struct summary {
    const rf_recording *rec;
    struct rf_kernel_names *names;
    struct rf_group_by part[RF_LAUNCH_PARTS];
};

static bool add_launch(struct summary *sum, const struct rf_launch *launch)
{
    uint32_t name;
    if (!rf_kernel_names_find(sum->names, launch->kernel, &name))
        return false;
    const uint32_t key[RF_GROUP_KEYS] = {
        [KEY_THREAD] = launch->kernel->thread,
        [KEY_DEVICE] = launch->device,
        [KEY_FUNCTION] = launch->call->name,
        [KEY_KERNEL] = name,
    };
    for (int i = 0; i < RF_LAUNCH_PARTS; i++) {
        bool has_value = i != RF_LAUNCH_QUEUE || launch->times.is_queued;
        if ((has_value ? rf_group_by_add(&sum->part[i], key, launch->times.ns[i])
                       : rf_group_by_get(&sum->part[i], key)) == NULL)
            return false;
    }
    return true;
}

/* The same of a recording that has sums of its launches: a part of all of them at a time, so that
 * its durations alone are in memory. Groups that have a histogram have no other durations. */
struct adding {
    const struct rf_launch_sums *sums;
    struct summary *sum;
    struct rf_sums histograms; /* keys: the index of the group */
    int part;
};

enum { HAS_LIST, HAS_HISTOGRAM }; /* rf_group.last */

static struct rf_group *group_of(const struct adding *a, const struct rf_launch_sum *from)
{
    uint32_t name;
    if (!rf_kernel_names_find_sum(a->sum->names, &from->kernel, &name))
        return NULL;
    const uint32_t key[RF_GROUP_KEYS] = {
        [KEY_THREAD] = from->key.thread,
        [KEY_DEVICE] = from->key.device,
        [KEY_FUNCTION] = from->key.function,
        [KEY_KERNEL] = name,
    };
    return rf_group_by_get(&a->sum->part[a->part], key);
}

/* To where the durations of a list are added. */
struct target {
    struct adding *a;
    const struct rf_group *group;
    struct rf_sum_key key;
};

static bool add_duration(void *context, uint64_t ns)
{
    const struct target *to = context;
    if (to->group->last == HAS_HISTOGRAM)
        return rf_sums_add(&to->a->histograms, &to->key, &(struct rf_sum_place){.duration_ns = ns});
    return rf_group_by_add(&to->a->sum->part[to->a->part], to->group->key, ns) != NULL;
}

static bool add_sum(struct adding *a, const struct rf_launch_sum *from)
{
    const struct rf_group *group = group_of(a, from);
    if (group == NULL)
        return false;
    struct target to = {a, group, {.name = (uint32_t)(group - a->sum->part[a->part].group)}};
    if (from->folded[a->part] == 0)
        return rf_value_list_each(&from->values[a->part], add_duration, &to);
    return rf_sums_merge(&a->histograms, &to.key, &a->sums->folded.sum[from->folded[a->part] - 1]);
}

/* The figures of groups that have a histogram. */
static bool measure_histograms(const struct adding *a)
{
    struct rf_group_by *by = &a->sum->part[a->part];
    for (size_t i = 0; i < a->histograms.n; i++) {
        const struct rf_sum *sum = &a->histograms.sum[i];
        struct rf_group *group = &by->group[sum->key.name];
        group->n = sum->n;
        rf_durations_of_sum(&group->measured, sum);
        if (!rf_group_set_quantiles(group, by->quantiles, sum))
            return false;
    }
    return true;
}

static bool add_part(struct adding *a)
{
    bool is_done = true;
    for (size_t i = 0; i < a->sums->n && is_done; i++) {
        struct rf_group *group = group_of(a, &a->sums->sum[i]);
        is_done = group != NULL;
        if (is_done && a->sums->sum[i].folded[a->part] != 0)
            group->last = HAS_HISTOGRAM;
    }
    for (size_t i = 0; i < a->sums->n && is_done; i++)
        is_done = add_sum(a, &a->sums->sum[i]);
    is_done = is_done && rf_group_by_measure(&a->sum->part[a->part]) && measure_histograms(a);
    rf_sums_release(&a->histograms);
    return is_done;
}

static bool add_sums(struct summary *sum, const struct rf_launch_sums *sums)
{
    bool is_done = true;
    for (int part = 0; part < RF_LAUNCH_PARTS && is_done; part++) {
        struct adding a = {.sums = sums, .sum = sum, .part = part};
        is_done = add_part(&a);
    }
    return is_done;
}

/* No launch waited. */
static void set_no_queue(struct rf_cell *cell)
{
    cell[0].real = cell[1].real = cell[4].real = NAN;
    cell[2].time = cell[3].time = RF_NO_TIME;
}

static bool add_row(struct rf_table *table, const rf_recording *rec, const struct summary *sum,
                    size_t i)
{
    const struct rf_group *group = &sum->part[RF_LAUNCH_TOTAL].group[i];
    const struct rf_thread *thread = rf_thread_at(rec, group->key[KEY_THREAD]);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[0].count = rf_process_at(rec, thread->process)->pid;
    row[1].count = thread->tid;
    row[2].count = group->key[KEY_DEVICE];
    row[3].count = group->n;
    row[4].count = sum->part[RF_LAUNCH_QUEUE].group[i].n;
    for (int part = 0; part < RF_LAUNCH_PARTS; part++) {
        rf_cells_set_durations(&row[FIRST_FIGURE + 5 * part], &sum->part[part].group[i].measured);
        rf_row_set_quantiles(table, row, (size_t)part, &sum->part[part].group[i]);
    }
    if (row[4].count == 0)
        set_no_queue(&row[FIRST_FIGURE + 5 * RF_LAUNCH_QUEUE]);
    rf_cell_set_function(&row[FUNCTION], rec, group->key[KEY_FUNCTION]);
    rf_kernel_names_set(sum->names, &row[KERNEL], group->key[KEY_KERNEL]);
    return true;
}

static bool collect(struct summary *sum, const rf_recording *rec)
{
    const struct rf_launch_sums *sums = rf_recording_launch_sums(rec);
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    if (sums != NULL)
        return add_sums(sum, sums);
    for (size_t i = 0; i < n; i++) {
        struct rf_launch launch;
        if (rf_launch_of(rec, &op[i], &launch) && !add_launch(sum, &launch))
            return false;
    }
    bool is_done = true;
    for (int i = 0; i < RF_LAUNCH_PARTS; i++)
        is_done = rf_group_by_measure(&sum->part[i]) && is_done;
    return is_done;
}

static int sum_launches(const struct rf_report *report, const rf_recording *rec,
                        struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec};
    (void)report;
    int status = rf_kernel_names_begin_sums(rec, table, &sum.names, err);
    if (status != RF_OK)
        return status;
    for (int i = 0; i < RF_LAUNCH_PARTS; i++)
        sum.part[i].quantiles = &table->quantiles;
    bool is_done = collect(&sum, rec);
    for (size_t i = 0; i < sum.part[RF_LAUNCH_TOTAL].n && is_done; i++)
        is_done = add_row(table, rec, &sum, i);
    for (int i = 0; i < RF_LAUNCH_PARTS; i++)
        rf_group_by_release(&sum.part[i]);
    rf_table_sort_by_total(table, FIRST_FIGURE);
    table->is_approximate =
        rf_recording_launch_sums(rec) != NULL && rf_recording_launch_sums(rec)->folded.n > 0;
    if (table->is_approximate)
        rf_table_add_note(table,
                          "medians and quantiles of more than %llu launches are ≈: from a "
                          "histogram, at most 0.4 %% off",
                          (unsigned long long)RF_LISTED_ALIKE);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Of summaries: the detail of a tally is the function ---- */

static const enum rf_tally_kind tally_of[RF_LAUNCH_PARTS] = {
    [RF_LAUNCH_TOTAL] = RF_TALLY_LAUNCH,
    [RF_LAUNCH_CALL] = RF_TALLY_LAUNCH_CALL,
    [RF_LAUNCH_QUEUE] = RF_TALLY_LAUNCH_QUEUE,
    [RF_LAUNCH_KERNEL] = RF_TALLY_LAUNCH_KERNEL};

static void collect_launch(struct rf_collecting *c, const struct rf_launch *launch)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    const struct rf_process *process = rf_process_at(c->rec, launch->thread->process);
    key.name = rf_collect_string(c, rf_kernel_label(c->rec, launch->kernel));
    key.detail = rf_collect_string(c, launch->call->name);
    key.pid = process->pid;
    key.tid = launch->thread->tid;
    key.device = launch->device;
    for (int part = 0; part < RF_LAUNCH_PARTS; part++) {
        key.kind = tally_of[part];
        if (part != RF_LAUNCH_QUEUE || launch->times.is_queued)
            rf_collect_tally(c, &key, launch->times.ns[part]);
    }
}

static void collect_launches(const struct rf_report *report, struct rf_collecting *c)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(c->rec, &n);
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* they are not known one by one */
    for (int part = 0; part < RF_LAUNCH_PARTS; part++)
        rf_collect_searched(c, tally_of[part]);
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        struct rf_launch launch;
        if (rf_launch_of(c->rec, &op[i], &launch))
            collect_launch(c, &launch);
    }
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *total)
{
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    row[0].count = rf_tally_id(total->key.pid);
    row[1].count = rf_tally_id(total->key.tid);
    row[2].count = rf_tally_id(total->key.device);
    row[3].count = total->values.n;
    set_no_queue(&row[FIRST_FIGURE + 5 * RF_LAUNCH_QUEUE]);
    for (int part = 0; part < RF_LAUNCH_PARTS; part++) {
        const struct rf_tally *tally = rf_tally_beside(rows->summary, total, tally_of[part]);
        if (tally == NULL || tally->values.n == 0) {
            rf_row_set_no_quantiles(rows->table, row, (size_t)part);
            continue;
        }
        const struct rf_durations measured = rf_summary_measure(&tally->values);
        rf_cells_set_durations(&row[FIRST_FIGURE + 5 * part], &measured);
        rf_row_set_summary_quantiles(rows->table, row, (size_t)part, &tally->values);
        if (part == RF_LAUNCH_QUEUE)
            row[4].count = tally->values.n;
    }
    return rf_cell_set_summary_function(&row[FUNCTION], rows->summary, total->key.detail) &&
           rf_cell_set_tally_name(&row[KERNEL], rows->summary, &total->key);
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_LAUNCH, table, FIRST_FIGURE, add_tally);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_LAUNCH);
    return status;
}

const struct rf_report rf_report_cuda_kern_exec_sum = {
    .name = "cuda_kern_exec_sum",
    .alias = "kernexecsum",
    .description = "how long launches of kernels took: call, queue and execution",
    .needs = RF_NEEDS_KERNELS,
    .title = "CUDA Kernel Launch & Exec Time Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .is_of_launches = true,
    .can = RF_CAN_NAME_WORK,
    .compute = sum_launches,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_LAUNCH,
    .collect = collect_launches,
};
