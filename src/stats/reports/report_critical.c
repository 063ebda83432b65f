/* SPDX-License-Identifier: Apache-2.0 */
/* critical: which GPU work the calls waited for that wait for a GPU. */
#include <string.h>

#include "base/error.h"
#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/group_by.h"
#include "stats/kernel_names.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "stats/wait_chains.h"
#include "stats/wait_scopes.h"
#include "stats/work_labels.h"
#include "summary/call_waits.h"
#include "summary/collect.h"
#include "summary/range_keys.h"

enum { SHARE, TOTAL, WAITS, AVERAGE, MAX, LAST, FUNCTION, RANGE, WORK };

#define NO_WORK "(no work)"

static const struct rf_column columns[] = {
    [SHARE] = {"Time (%)", RF_COLUMN_SHARE, "share of the time of all waits"},
    [TOTAL] = {"Wait (ns)", RF_COLUMN_COUNT,
               "time of waits in which they waited for this work; of all rows it is that of all "
               "waits"},
    [WAITS] = {"Waits", RF_COLUMN_COUNT, "number of calls that waited for it"},
    [AVERAGE] = {"Avg (ns)", RF_COLUMN_REAL, "Wait by Waits"},
    [MAX] = {"Max (ns)", RF_COLUMN_COUNT, "longest time that one call waited for it"},
    [LAST] = {"Last", RF_COLUMN_COUNT,
              "number of these calls for which it was the last work to end before they returned; "
              "of all rows it is the number of all calls"},
    [FUNCTION] = {"Function", RF_COLUMN_WORD, RF_MEANS_FUNCTION},
    [RANGE] = {"Range", RF_COLUMN_TEXT,
               "domain:message of the innermost range around the call; None: no range"},
    [WORK] = {"Work", RF_COLUMN_WORD,
              "name of the kernel, copy, set or graph; " NO_WORK
              ": nothing ran that the call waited "
              "for"},
};

#define MANY_NAMES 100 /* with more, those that differ by numbers are one if nothing is said */

/* The kind of work is 0 where there was none. */
enum key { KEY_FUNCTION, KEY_DOMAIN, KEY_MESSAGE, KEY_KIND, KEY_WORK };
enum sum { SUM_NS, SUM_WAITS, SUM_THIS_NS, SUM_MAX_NS, SUM_LAST };

struct summary {
    const rf_recording *rec;
    struct rf_kernel_names *names;
    rf_projections *projections;
    struct rf_range_keys keys;
    bool folds_numbers;
    struct rf_waiting_functions waiting;
    struct rf_wait_scopes scopes;
    struct rf_wait_chains chains;
    struct rf_group_by by;
    uint64_t total_ns, n_waits, n_recorded, n_cut;
    uint32_t key[RF_GROUP_KEYS]; /* of the call that is looked at */
    bool has_last;               /* its last work is known */
    struct rf_collecting *c;     /* to where each wait for some work goes; NULL: nowhere */
};

/* ---- Of a summary ---- */

static struct rf_tally_key tally_key(const struct summary *sum, const struct rf_group *group)
{
    struct rf_collecting *c = sum->c;
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    struct rf_cell work;
    key.kind = RF_TALLY_WAITED;
    key.style = rf_collect_string(c, group->key[KEY_FUNCTION]);
    if (group->key[KEY_DOMAIN] != RF_NO_INDEX) {
        key.domain = rf_collect_domain(c, group->key[KEY_DOMAIN]);
        key.name = rf_collect_range_name(c, group->key[KEY_MESSAGE]);
    }
    if (group->key[KEY_KIND] == 0)
        return key;
    rf_work_name_set(sum->names, &work,
                     (struct rf_work_name){group->key[KEY_KIND], group->key[KEY_WORK]});
    key.detail = rf_strings_add(&c->summary->strings, work.text, work.size);
    if (key.detail == RF_NO_STRING)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    return key;
}

/* The wait of a group that was looked at last is over. */
static void take_wait(const struct summary *sum, const struct rf_group *group)
{
    if (sum->c == NULL || group->sums[SUM_WAITS] == 0)
        return;
    const struct rf_tally_key key = tally_key(sum, group);
    rf_collect_tally(sum->c, &key, group->sums[SUM_THIS_NS]);
}

/* ---- One wait ---- */

static int add_piece(void *context, const struct rf_gpu_op *op, uint64_t ns)
{
    struct summary *sum = context;
    struct rf_work_name name = {.kind = 0};
    if (op != NULL && !rf_work_name_find(sum->names, op, &name))
        return RF_ERR_NO_MEMORY;
    sum->key[KEY_KIND] = name.kind;
    sum->key[KEY_WORK] = name.name;
    struct rf_group *group = rf_group_by_get(&sum->by, sum->key);
    if (group == NULL)
        return RF_ERR_NO_MEMORY;
    const uint32_t number = (uint32_t)sum->n_waits;
    if (group->last != number) {
        take_wait(sum, group);
        group->last = number;
        group->sums[SUM_WAITS]++;
        group->sums[SUM_THIS_NS] = 0;
    }
    group->sums[SUM_NS] += ns;
    group->sums[SUM_THIS_NS] += ns;
    if (group->sums[SUM_THIS_NS] > group->sums[SUM_MAX_NS])
        group->sums[SUM_MAX_NS] = group->sums[SUM_THIS_NS];
    if (op != NULL && !sum->has_last) {
        sum->has_last = true;
        group->sums[SUM_LAST]++;
    }
    return RF_OK;
}

/* Nothing that the call waited for ended in it. */
static int add_no_last(struct summary *sum)
{
    int status = add_piece(sum, NULL, 0);
    if (status == RF_OK)
        rf_group_by_get(&sum->by, sum->key)->sums[SUM_LAST]++;
    return status;
}

static bool set_range(struct summary *sum, uint32_t thread, uint32_t call)
{
    const uint32_t owner = rf_call_owner(sum->projections, thread, call);
    sum->key[KEY_DOMAIN] = sum->key[KEY_MESSAGE] = RF_NO_INDEX;
    if (owner == RF_NO_INDEX)
        return true;
    uint32_t key = rf_range_keys_find(&sum->keys, rf_thread_event_at(sum->rec, thread, owner));
    if (key == RF_NO_INDEX)
        return false;
    key = sum->folds_numbers ? sum->keys.key[key].folded : key;
    sum->key[KEY_DOMAIN] = sum->keys.key[key].domain;
    sum->key[KEY_MESSAGE] = sum->keys.key[key].name;
    return true;
}

static int count_range(struct summary *sum, const struct rf_one_wait *wait, uint32_t call)
{
    return set_range(sum, wait->thread, call) ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_wait(struct summary *sum, const struct rf_one_wait *wait, uint32_t call)
{
    const struct rf_wait_scope scope = rf_wait_scope_of(&sum->scopes, wait->thread, call);
    bool is_cut = false;
    sum->n_waits++;
    sum->n_recorded += scope.is_recorded;
    sum->total_ns += (uint64_t)wait->end_ns - (uint64_t)wait->start_ns;
    sum->key[KEY_FUNCTION] = rf_thread_call_at(sum->rec, wait->thread, call)->name;
    if (!set_range(sum, wait->thread, call))
        return RF_ERR_NO_MEMORY;
    sum->has_last = false;
    int status = rf_wait_chain_find(&sum->chains, &scope, wait, add_piece, sum, &is_cut);
    if (is_cut) {
        sum->n_cut++;
        status = add_piece(sum, NULL, (uint64_t)wait->end_ns - (uint64_t)wait->start_ns);
    }
    return status == RF_OK && !sum->has_last ? add_no_last(sum) : status;
}

/* ---- All waits ---- */

typedef int visit_fn(struct summary *sum, const struct rf_one_wait *wait, uint32_t call);

/* Of calls inside each other the outer one counts. */
static int visit_thread(struct summary *sum, uint32_t thread, visit_fn *visit)
{
    size_t n = 0;
    const struct rf_call *call = rf_thread_calls(sum->rec, thread, &n);
    int64_t end_ns = INT64_MIN;
    int status = RF_OK;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (!rf_waiting_functions_have(&sum->waiting, &call[i]) ||
            (call[i].end_ns <= end_ns && call[i].start_ns < end_ns))
            continue;
        const struct rf_one_wait wait = {
            thread, call[i].start_ns > end_ns ? call[i].start_ns : end_ns, call[i].end_ns};
        status = visit(sum, &wait, (uint32_t)i);
        end_ns = call[i].end_ns;
    }
    return status;
}

static int visit_waits(struct summary *sum, visit_fn *visit)
{
    int status = RF_OK;
    for (uint32_t t = 0; t < rf_n_threads(sum->rec) && status == RF_OK; t++)
        status = visit_thread(sum, t, visit);
    return status;
}

static int collect(struct summary *sum, int fold_numbers, struct rf_err *err)
{
    const rf_recording *rec = sum->rec;
    int status = rf_project(rec, NULL, &sum->projections, err);
    if (status == RF_OK)
        status = rf_range_keys_init(&sum->keys, rec);
    if (status == RF_OK)
        status = rf_waiting_functions_init(&sum->waiting, rec);
    if (status == RF_OK)
        status = rf_wait_scopes_init(&sum->scopes, rec);
    if (status == RF_OK)
        status = rf_wait_chains_init(&sum->chains, rec);
    sum->folds_numbers = fold_numbers > 0;
    if (status == RF_OK && fold_numbers == 0) {
        status = visit_waits(sum, count_range);
        sum->folds_numbers = sum->keys.n > MANY_NAMES;
    }
    return status == RF_OK ? visit_waits(sum, add_wait) : status;
}

/* ---- Rows ---- */

static void set_figures(struct rf_cell *row, const uint64_t *sums, double total_ns)
{
    if (total_ns > 0)
        row[SHARE].real = 100 * (double)sums[SUM_NS] / total_ns;
    row[TOTAL].count = sums[SUM_NS];
    row[WAITS].count = sums[SUM_WAITS];
    row[AVERAGE].real = (double)sums[SUM_NS] / (double)sums[SUM_WAITS];
    row[MAX].count = sums[SUM_MAX_NS];
    row[LAST].count = sums[SUM_LAST];
}

static bool add_row(struct rf_table *table, const struct summary *sum, const struct rf_group *group)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_figures(row, group->sums, (double)sum->total_ns);
    rf_cell_set_function(&row[FUNCTION], sum->rec, group->key[KEY_FUNCTION]);
    if (group->key[KEY_KIND] == 0)
        rf_cell_set_word(&row[WORK], NO_WORK);
    else
        rf_work_name_set(sum->names, &row[WORK],
                         (struct rf_work_name){group->key[KEY_KIND], group->key[KEY_WORK]});
    if (group->key[KEY_DOMAIN] == RF_NO_INDEX)
        return rf_cell_set_text(&row[RANGE], "None", 4);
    if (!rf_cell_set_range(&row[RANGE], sum->rec, group->key[KEY_DOMAIN], group->key[KEY_MESSAGE]))
        return false;
    size_t size = 0;
    (void)rf_string(sum->rec, group->key[KEY_MESSAGE], &size);
    if (sum->folds_numbers)
        rf_cell_fold_numbers(&row[RANGE], size);
    return true;
}

static void add_notes(struct rf_table *table, uint64_t n_waits, uint64_t n_recorded, uint64_t n_cut)
{
    if (n_waits == 0)
        rf_table_add_note(table, "no call waits for a GPU");
    if (n_recorded < n_waits)
        rf_table_add_note(table,
                          "of %llu of %llu waits the stream or event is not recorded: all work of "
                          "the process counts; 'rangefinder profile --trace=cuda' records it",
                          (unsigned long long)(n_waits - n_recorded), (unsigned long long)n_waits);
    if (n_cut > 0)
        rf_table_add_note(table, "waits that overlap too much work to look into them: %llu",
                          (unsigned long long)n_cut);
}

static void release(struct summary *sum)
{
    rf_group_by_release(&sum->by);
    rf_wait_scopes_release(&sum->scopes);
    rf_wait_chains_release(&sum->chains);
    rf_projections_free(sum->projections);
    rf_range_keys_release(&sum->keys);
    rf_waiting_functions_release(&sum->waiting);
}

static int sum_waits(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec};
    (void)report;
    int status = rf_kernel_names_begin(rec, table, &sum.names, err);
    if (status == RF_OK)
        status = collect(&sum, table->fold_numbers, err);
    for (size_t i = 0; i < sum.by.n && status == RF_OK; i++)
        if (!add_row(table, &sum, &sum.by.group[i]))
            status = RF_ERR_NO_MEMORY;
    if (sum.folds_numbers && table->fold_numbers == 0)
        rf_table_add_note(table, "names of ranges that differ by numbers alone are one, with #; "
                                 "--fold-numbers=false shows each");
    add_notes(table, sum.n_waits, sum.n_recorded, sum.n_cut);
    rf_table_sort_by_total(table, TOTAL);
    release(&sum);
    return status;
}

/* ---- Of summaries: the style of a tally is the function, its detail the work ---- */

static void collect_waits(const struct rf_report *report, struct rf_collecting *c)
{
    struct summary sum = {.rec = c->rec, .c = c};
    struct rf_table table = {.n_rows = 0};
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* it is not known piece by piece */
    rf_collect_searched(c, RF_TALLY_WAITED);
    (void)rf_collect_fail(c, rf_kernel_names_begin(c->rec, &table, &sum.names, c->err));
    if (c->status == RF_OK)
        (void)rf_collect_fail(c, collect(&sum, -1, c->err));
    for (size_t i = 0; i < sum.by.n && c->status == RF_OK; i++) {
        const struct rf_tally_key key = tally_key(&sum, &sum.by.group[i]);
        take_wait(&sum, &sum.by.group[i]);
        rf_collect_tally_sum(c, &key, 0, sum.by.group[i].sums[SUM_LAST]);
    }
    rf_collect_note(c, RF_TALLY_WAITS, sum.n_waits);
    rf_collect_note(c, RF_TALLY_WAITS_RECORDED, sum.n_recorded);
    rf_collect_note(c, RF_TALLY_WAITS_CUT, sum.n_cut);
    release(&sum);
    rf_table_release(&table);
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_summary_row *values = &tally->values;
    const uint64_t sums[] = {[SUM_NS] = values->total,
                             [SUM_WAITS] = values->n,
                             [SUM_MAX_NS] = values->max.value,
                             [SUM_LAST] = tally->sum[0]};
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    set_figures(row, sums, rows->total);
    if (!rf_cell_set_summary_function(&row[FUNCTION], rows->summary, tally->key.style))
        return false;
    const bool is_rest = tally->key.name == RF_REST_OF_NAMES;
    const bool has_range = is_rest || tally->key.domain != RF_NO_STRING;
    const bool has_work = is_rest || tally->key.detail != RF_NO_STRING;
    return (has_range ? rf_cell_set_tally_name(&row[RANGE], rows->summary, &tally->key)
                      : rf_cell_set_text(&row[RANGE], "None", 4)) &&
           (has_work ? rf_cell_set_tally_detail(&row[WORK], rows->summary, &tally->key)
                     : rf_cell_set_text(&row[WORK], NO_WORK, strlen(NO_WORK)));
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_WAITED, table, TOTAL, add_tally);
    if (status != RF_OK)
        return status;
    add_notes(table, rf_summary_note(summary, input, RF_TALLY_WAITS),
              rf_summary_note(summary, input, RF_TALLY_WAITS_RECORDED),
              rf_summary_note(summary, input, RF_TALLY_WAITS_CUT));
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_WAITED);
    return RF_OK;
}

const struct rf_report rf_report_critical = {
    .name = "critical",
    .description = "which GPU work the calls waited for that wait for a GPU",
    .needs = RF_NEEDS_CUDA_CALLS | RF_NEEDS_GPU_WORK,
    .title = "What Waits For GPUs Waited For",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK,
    .compute = sum_waits,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_WAITED,
    .collect = collect_waits,
};
