/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as a call tree: a row for each path of names, below that of the range around it. It is
 * made of a summary, so that recordings and summaries have the same rows. */
#include "rangefinder/summary.h"
#include "stats/column_meanings.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/summary_rows.h"
#include "summary/path_tree.h"

enum { SELF = RF_SUMMARY_N, GPU, LEVEL, NODE, PARENT, RANGE };

/* clang-format off */
static const struct rf_column columns[] = {
    {"Time (%)", RF_COLUMN_SHARE, "share of the sum of the Total Time of all rows of level 0"},
    {"Total Time (ns)", RF_COLUMN_COUNT, "sum of the durations"},
    {"Instances", RF_COLUMN_COUNT, "number of ranges of this name in these ranges"},
    {"Avg (ns)", RF_COLUMN_REAL, "mean of the durations"},
    {"Med (ns)", RF_COLUMN_REAL, "median of the durations, of a histogram: at most 0.4 % off"},
    {"Min (ns)", RF_COLUMN_COUNT, "shortest duration"},
    {"Max (ns)", RF_COLUMN_COUNT, "longest duration"},
    {"StdDev (ns)", RF_COLUMN_REAL, RF_MEANS_STDDEV},
    [SELF] = {"Self (ns)", RF_COLUMN_COUNT, "sum of the time that no range inside them covers"},
    [GPU] = {"GPU (ns)", RF_COLUMN_COUNT, "sum of the durations of the GPU work that was launched in them and in the ranges inside them"},
    [LEVEL] = {"Lvl", RF_COLUMN_COUNT, "number of rows around it"},
    [NODE] = {"Node", RF_COLUMN_ID, "number of the row, from 1"},
    [PARENT] = {"Parent", RF_COLUMN_ID, "Node of the row around it; None: no such row"},
    [RANGE] = {"Range", RF_COLUMN_TEXT, "domain:message, behind two spaces for each row around it; (all other names): paths with less time, whatever is around them"},
};
/* clang-format on */

static const struct rf_quantile_place quantile_places[] = {RF_SUMMARY_QUANTILES};

static bool add_row(struct rf_table *table, const struct rf_path_tree *tree,
                    const struct rf_path_node *node)
{
    const struct rf_durations measured = rf_summary_measure(&node->row);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &measured, node->row.n, tree->all);
    rf_row_set_summary_quantiles(table, row, 0, &node->row);
    row[SELF].count = node->row.self;
    row[GPU].count = node->gpu;
    row[LEVEL].count = node->level;
    row[NODE].count = node->number;
    row[PARENT].count = node->parent != RF_NO_INDEX ? tree->node[node->parent].number : RF_NO_ID;
    return rf_cell_set_path(&row[RANGE], tree->summary, &tree->summary->path[node->path],
                            2 * (size_t)node->level);
}

static int show_input(const struct rf_report *report, const struct rf_summary *summary,
                      uint32_t input, struct rf_table *table, struct rf_err *err)
{
    struct rf_path_tree tree;
    int status = rf_path_tree_init(&tree, summary, input);
    for (uint32_t i = 0; i < tree.n && status == RF_OK; i++)
        if (!add_row(table, &tree, &tree.node[tree.order[i]]))
            status = RF_ERR_NO_MEMORY;
    if (tree.n > 0)
        rf_add_summary_notes(report, table, rf_summary_input_at(summary, input), false);
    rf_path_tree_release(&tree);
    return rf_summary_fail(status, rf_summary_input_at(summary, input)->path, err);
}

static int show(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                struct rf_err *err)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    options.fold_numbers = table->fold_numbers > 0;
    options.without_steps = 1;
    return rf_report_by_summary(report, rec, &options, table, err);
}

const struct rf_report rf_report_nvtx_tree = {
    .name = "nvtx_tree",
    .description = "NVTX ranges as a call tree: time of each, of itself and on the GPU",
    .needs = RF_NEEDS_RANGES,
    .is_of_paths = true,
    .title = "NVTX Range Tree",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .compute = show,
    .compute_summary = show_input,
};
