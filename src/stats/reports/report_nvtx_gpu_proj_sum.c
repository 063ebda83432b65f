/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_gpu_proj_sum: the time on the GPU that ranges caused, by domain, message and style, over all
 * processes. Columns are those of Nsight Systems. */
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "model/same_domains.h"
#include "model/sums/projected_sums.h"
#include "stats/column_meanings.h"
#include "stats/folded_names.h"
#include "stats/group_by.h"
#include "stats/range_labels.h"
#include "stats/range_tree_cells.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

static const struct rf_column columns[] = {
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    {"Total Proj Time (ns)", RF_COLUMN_COUNT,
     "sum of the projected durations: of each range, the time from the start of the first piece of "
     "its GPU work to the end of the last"},
    {"Total Range Time (ns)", RF_COLUMN_COUNT, "sum of the durations of these ranges on the CPU"},
    {"Range Instances", RF_COLUMN_COUNT, "number of ranges with GPU work"},
    {"Proj Avg (ns)", RF_COLUMN_REAL, "mean of the projected durations"},
    {"Proj Med (ns)", RF_COLUMN_REAL, "median of the projected durations"},
    {"Proj Min (ns)", RF_COLUMN_COUNT, "shortest projected duration"},
    {"Proj Max (ns)", RF_COLUMN_COUNT, "longest projected duration"},
    {"Proj StdDev (ns)", RF_COLUMN_REAL,
     "standard deviation of the projected durations, of a sample (n - 1); 0 of one range"},
    {"Total GPU Ops", RF_COLUMN_COUNT,
     "number of calls under these ranges that caused GPU work; the launch of a graph is 1"},
    {"Avg GPU Ops", RF_COLUMN_REAL, "Total GPU Ops by Range Instances"},
    {"Avg Range Lvl", RF_COLUMN_REAL,
     "mean number of ranges with GPU work around a range, of the same thread"},
    {"Avg Num Child", RF_COLUMN_REAL,
     "mean number of ranges with GPU work directly inside a range"},
};

static const struct rf_quantile_place quantile_places[] = {
    {10, "Proj ", " (ns)", RF_COLUMN_SIGNED}};

enum key { DOMAIN, NAME, STYLE };
enum sum { RANGE_NS, N_OPS, LEVELS, CHILDREN };

/* names: NULL: each name is one of its own. */
static bool collect(struct rf_group_by *by, const struct rf_range_tree *tree,
                    const uint32_t *same_domain, struct rf_folded_names *names)
{
    for (size_t i = 0; i < tree->n; i++) {
        const struct rf_projection *projection = &tree->projection[i];
        const struct rf_event *range = rf_range_of(tree->rec, projection);
        uint32_t key[RF_GROUP_KEYS] = {
            [DOMAIN] = same_domain[range->domain],
            [NAME] = range->name,
            [STYLE] = range->kind | (projection->by_process ? RF_STYLE_BY_PROCESS : 0u)};
        if (names != NULL && !rf_folded_names_find(names, range->name, &key[NAME]))
            return false;
        struct rf_group *group =
            rf_group_by_add(by, key, (uint64_t)projection->end_ns - (uint64_t)projection->start_ns);
        if (group == NULL)
            return false;
        group->sums[RANGE_NS] += (uint64_t)range->end_ns - (uint64_t)range->start_ns;
        group->sums[N_OPS] += projection->n_calls;
        group->sums[LEVELS] += tree->node[i].level;
        group->sums[CHILDREN] += tree->node[i].n_children;
    }
    return true;
}

/* The same of a recording that has sums alone. */
static bool collect_sums(struct rf_group_by *by, const struct rf_projected_sums *sums,
                         const uint32_t *same_domain)
{
    for (uint32_t i = 0; i < sums->n_ranges; i++) {
        const struct rf_projected_ranges *from = &sums->ranges[i];
        if (from->ns.n_values == 0) /* they have no work */
            continue;
        const uint32_t key[RF_GROUP_KEYS] = {
            [DOMAIN] = same_domain[from->domain], [NAME] = from->name, [STYLE] = from->kind};
        if (!rf_group_by_add_counts(by, key, &from->ns))
            return false;
        struct rf_group *group = rf_group_by_get(by, key);
        group->sums[RANGE_NS] += from->range_ns;
        group->sums[N_OPS] += from->n_calls;
        group->sums[LEVELS] += from->n_levels;
        group->sums[CHILDREN] += from->n_children;
    }
    return true;
}

static bool add_row(struct rf_table *table, const rf_recording *rec, const struct rf_group *group)
{
    double n = (double)group->n;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !rf_cell_set_range(&row[0], rec, group->key[DOMAIN], group->key[NAME]))
        return false;
    if (table->fold_numbers > 0)
        rf_cell_fold_name(&row[0], rec, group->key[NAME]);
    rf_cell_set_word(&row[1], rf_range_style(group->key[STYLE]));
    row[2].count = group->measured.total_ns;
    row[3].count = group->sums[RANGE_NS];
    row[4].count = group->n;
    rf_cells_set_durations(&row[5], &group->measured);
    rf_row_set_quantiles(table, row, 0, group);
    row[10].count = group->sums[N_OPS];
    row[11].real = (double)group->sums[N_OPS] / n;
    row[12].real = (double)group->sums[LEVELS] / n;
    row[13].real = (double)group->sums[CHILDREN] / n;
    return true;
}

/* tree: NULL: the recording has sums alone. */
static int add_rows(struct rf_table *table, const rf_recording *rec,
                    const struct rf_range_tree *tree)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    struct rf_folded_names names = {.rec = NULL};
    const bool folds = table->fold_numbers > 0;
    uint32_t *same_domain = rf_same_domains(rec);
    bool is_done = same_domain != NULL;
    if (folds)
        rf_folded_names_init(&names, rec);
    if (is_done)
        is_done = tree != NULL ? collect(&by, tree, same_domain, folds ? &names : NULL)
                               : collect_sums(&by, rf_recording_projected_sums(rec), same_domain);
    is_done = rf_group_by_measure(&by) && is_done;
    for (size_t i = 0; i < by.n && is_done; i++)
        is_done = add_row(table, rec, &by.group[i]);
    rf_table_sort_by_total(table, 2);
    rf_group_by_release(&by);
    if (folds)
        rf_folded_names_release(&names);
    free(same_domain);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

static int sum_projections(const struct rf_report *report, const rf_recording *rec,
                           struct rf_table *table, struct rf_err *err)
{
    const struct rf_projected_sums *sums = rf_recording_projected_sums(rec);
    struct rf_range_tree tree;
    int status;
    (void)report;
    if (sums != NULL) {
        status = rf_range_sums_begin(table, sums, &sums->all, err);
        return status == RF_OK ? add_rows(table, rec, NULL) : status;
    }
    status = rf_range_tree_init(&tree, rec, table->by_process, err);
    if (status == RF_OK)
        status = add_rows(table, rec, &tree);
    if (status == RF_OK)
        rf_add_coverage_notes(rec, tree.projections, table);
    rf_range_tree_release(&tree);
    return status;
}

/* ---- Into a summary ---- */

static struct rf_tally_key key_of(struct rf_collecting *c, uint32_t domain, uint32_t name,
                                  uint32_t kind)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    key.kind = RF_TALLY_RANGE_GPU;
    key.domain = rf_collect_domain(c, domain);
    key.name = rf_collect_range_name(c, name);
    key.style =
        rf_collect_text(c, rf_summary_kind_name(kind == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP
                                                                          : RF_SUMMARY_START_END));
    return key;
}

static void add_tally_sums(struct rf_collecting *c, const struct rf_tally_key *key,
                           const uint64_t *sum)
{
    for (unsigned i = 0; i < RF_TALLY_SUMS; i++)
        rf_collect_tally_sum(c, key, i, sum[i]);
}

static void add_projection(struct rf_collecting *c, const struct rf_range_tree *tree, size_t i)
{
    const struct rf_projection *projection = &tree->projection[i];
    const struct rf_event *range = rf_range_of(tree->rec, projection);
    const struct rf_tally_key key = key_of(c, range->domain, range->name, range->kind);
    const uint64_t sum[RF_TALLY_SUMS] = {[RANGE_NS] =
                                             (uint64_t)range->end_ns - (uint64_t)range->start_ns,
                                         [N_OPS] = projection->n_calls,
                                         [LEVELS] = tree->node[i].level,
                                         [CHILDREN] = tree->node[i].n_children};
    rf_collect_tally(c, &key, (uint64_t)projection->end_ns - (uint64_t)projection->start_ns);
    add_tally_sums(c, &key, sum);
}

static void add_projections(struct rf_collecting *c)
{
    struct rf_range_tree tree;
    (void)rf_collect_fail(c, rf_range_tree_of(&tree, c->rec, c->projections));
    for (size_t i = 0; i < tree.n && c->status == RF_OK; i++)
        add_projection(c, &tree, i);
    tree.projections = NULL; /* they are c's */
    rf_range_tree_release(&tree);
}

/* Of a recording that has sums alone. */
static void add_projected(struct rf_collecting *c, const struct rf_projected_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_ranges && c->status == RF_OK; i++) {
        const struct rf_projected_ranges *from = &sums->ranges[i];
        if (from->ns.n_values == 0) /* they have no work */
            continue;
        const struct rf_tally_key key = key_of(c, from->domain, from->name, from->kind);
        const uint64_t sum[RF_TALLY_SUMS] = {[RANGE_NS] = from->range_ns,
                                             [N_OPS] = from->n_calls,
                                             [LEVELS] = from->n_levels,
                                             [CHILDREN] = from->n_children};
        rf_collect_tally_counts(c, &key, &from->ns);
        add_tally_sums(c, &key, sum);
    }
}

static void collect_tallies(const struct rf_report *report, struct rf_collecting *c)
{
    const struct rf_projected_sums *sums = rf_recording_projected_sums(c->rec);
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    uint64_t n_left_out = 0;
    size_t n_ops = 0;
    (void)report;
    (void)rf_gpu_ops(c->rec, &n_ops);
    if (sums == NULL && rf_recording_named_work(c->rec) != NULL)
        return; /* it is not known */
    rf_collect_searched(c, RF_TALLY_RANGE_GPU);
    if (sums != NULL) {
        add_projected(c, sums);
        coverage = sums->all;
        n_left_out = sums->n_left_out;
    } else if (n_ops > 0) {
        add_projections(c);
        (void)rf_projection_coverage(c->projections, &coverage);
        n_left_out = rf_count_ended_elsewhere(c->rec);
    }
    rf_projections_free(c->projections); /* those that follow do without them */
    c->projections = NULL;
    rf_collect_coverage(c, RF_TALLY_COVERAGE, &coverage);
    rf_collect_note(c, RF_TALLY_ENDED_ELSEWHERE, coverage.n_ops > 0 ? n_left_out : 0);
}

/* ---- Of a summary ---- */

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_durations measured = rf_summary_measure(&tally->values);
    const double n = (double)tally->values.n;
    const char *style = rf_summary_style(rows->summary, tally->key.style);
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL || !rf_cell_set_tally_name(&row[0], rows->summary, &tally->key) ||
        !rf_cell_set_text(&row[1], style, strlen(style)))
        return false;
    row[2].count = measured.total_ns;
    row[3].count = tally->sum[RANGE_NS];
    row[4].count = tally->values.n;
    rf_cells_set_durations(&row[5], &measured);
    rf_row_set_summary_quantiles(rows->table, row, 0, &tally->values);
    row[10].count = tally->sum[N_OPS];
    row[11].real = (double)tally->sum[N_OPS] / n;
    row[12].real = (double)tally->sum[LEVELS] / n;
    row[13].real = (double)tally->sum[CHILDREN] / n;
    return true;
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_RANGE_GPU, table, 2, add_tally);
    if (status != RF_OK)
        return status;
    rf_add_summary_coverage_notes(table, summary, input, RF_TALLY_COVERAGE);
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_RANGE_GPU);
    return RF_OK;
}

const struct rf_report rf_report_nvtx_gpu_proj_sum = {
    .name = "nvtx_gpu_proj_sum",
    .description = "the time on the GPU that NVTX ranges caused, by domain, message and style",
    .is_default = true,
    .needs = RF_NEEDS_RANGES | RF_NEEDS_GPU_WORK,
    .title = "NVTX GPU Projection Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .is_of_range_work = true,
    .has_no_kernels = true,
    .compute = sum_projections,
    .compute_summary = show_summary,
    .collect = collect_tallies,
    .tallies = 1 + RF_TALLY_RANGE_GPU,
};
