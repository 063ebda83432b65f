/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as a call tree: a row for each path of names, below that of the range around it. It is
 * made of a summary, so that recordings and summaries have the same rows. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rangefinder/summary.h"
#include "stats/column_meanings.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"

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

struct node {
    uint32_t path; /* of the summary */
    uint32_t parent, level, number;
    struct rf_summary_row row; /* push/pop and start/end ranges */
    uint64_t gpu;              /* of it and all below */
};

struct tree {
    const rf_summary *summary;
    struct node *node; /* by path */
    uint32_t *order;   /* paths with ranges, the tree's order */
    uint32_t n;
    double all; /* of level 0 */
};

/* ---- The nodes ---- */

static bool is_range(const struct rf_summary_row *row, uint32_t input)
{
    return row->input == input &&
           (row->kind == RF_SUMMARY_PUSH_POP || row->kind == RF_SUMMARY_START_END);
}

static int add_up(struct tree *tree, uint32_t input)
{
    const rf_summary *summary = tree->summary;
    int status = RF_OK;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++)
        if (is_range(&summary->row[i], input))
            status = rf_summary_row_merge(&tree->node[summary->row[i].path].row, &summary->row[i]);
    return status;
}

/* Paths stand behind those around them: from the last on, each adds to the one around it. A path
 * without ranges of its own, as a filter can leave it, has those below it on its level. */
static void find_places(struct tree *tree)
{
    const uint32_t n = (uint32_t)tree->summary->n_paths;
    for (uint32_t i = n; i-- > 0;) {
        struct node *node = &tree->node[i];
        uint32_t around = tree->summary->path[i].parent;
        node->path = i;
        node->gpu += node->row.gpu;
        if (around != RF_NO_INDEX)
            tree->node[around].gpu += node->gpu;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &tree->node[i];
        node->parent = tree->summary->path[i].parent;
        while (node->parent != RF_NO_INDEX && tree->node[node->parent].row.n == 0)
            node->parent = tree->node[node->parent].parent;
        node->level = node->parent != RF_NO_INDEX ? tree->node[node->parent].level + 1 : 0;
        if (node->row.n == 0)
            continue;
        tree->order[tree->n++] = i;
        if (node->level == 0)
            tree->all += (double)node->row.total;
    }
}

/* ---- The order: a range, then what is inside it, the longest first ---- */

static int compare_texts(const rf_summary *summary, uint32_t a, uint32_t b)
{
    size_t a_size, b_size;
    const char *x = rf_summary_text(summary, a, &a_size), *y = rf_summary_text(summary, b, &b_size);
    if (x == NULL || y == NULL)
        return (x != NULL) - (y != NULL);
    int order = memcmp(x, y, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_siblings(const struct tree *tree, const struct node *a, const struct node *b)
{
    const struct rf_summary_path *path = tree->summary->path;
    if (a->row.total != b->row.total)
        return a->row.total > b->row.total ? -1 : 1;
    int order = compare_texts(tree->summary, path[a->path].domain, path[b->path].domain);
    if (order == 0)
        order = compare_texts(tree->summary, path[a->path].name, path[b->path].name);
    return order != 0 ? order : (a->path > b->path) - (a->path < b->path);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
    const struct tree *tree = context;
    const struct node *x = &tree->node[*(const uint32_t *)a];
    const struct node *y = &tree->node[*(const uint32_t *)b];
    if (x == y)
        return 0;
    bool x_is_deeper = x->level > y->level, y_is_deeper = y->level > x->level;
    while (x->level > y->level)
        x = &tree->node[x->parent];
    while (y->level > x->level)
        y = &tree->node[y->parent];
    if (x == y) /* one is around the other */
        return x_is_deeper - y_is_deeper;
    while (x->parent != y->parent) {
        x = &tree->node[x->parent];
        y = &tree->node[y->parent];
    }
    return compare_siblings(tree, x, y);
}

/* ---- The rows ---- */

static bool add_row(struct rf_table *table, const struct tree *tree, const struct node *node)
{
    const struct rf_durations measured = rf_summary_measure(&node->row);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &measured, node->row.n, tree->all);
    rf_row_set_summary_quantiles(table, row, &node->row);
    row[SELF].count = node->row.self;
    row[GPU].count = node->gpu;
    row[LEVEL].count = node->level;
    row[NODE].count = node->number;
    row[PARENT].count = node->parent != RF_NO_INDEX ? tree->node[node->parent].number : RF_NO_ID;
    return rf_cell_set_path(&row[RANGE], tree->summary, &tree->summary->path[node->path],
                            2 * (size_t)node->level);
}

static bool add_rows(struct rf_table *table, struct tree *tree)
{
    bool is_done = true;
    find_places(tree);
    qsort_r(tree->order, tree->n, sizeof(*tree->order), compare_nodes, tree);
    for (uint32_t i = 0; i < tree->n; i++)
        tree->node[tree->order[i]].number = i + 1;
    for (uint32_t i = 0; i < tree->n && is_done; i++)
        is_done = add_row(table, tree, &tree->node[tree->order[i]]);
    return is_done;
}

static int show_input(const struct rf_report *report, const struct rf_summary *summary,
                      uint32_t input, struct rf_table *table, struct rf_err *err)
{
    struct tree tree = {.summary = summary,
                        .node = calloc(summary->n_paths + 1, sizeof(*tree.node)),
                        .order = malloc((summary->n_paths + 1) * sizeof(*tree.order))};
    (void)report;
    int status = tree.node != NULL && tree.order != NULL ? add_up(&tree, input) : RF_ERR_NO_MEMORY;
    if (status == RF_OK && !add_rows(table, &tree))
        status = RF_ERR_NO_MEMORY;
    if (tree.n > 0)
        rf_add_summary_notes(table, rf_summary_input_at(summary, input));
    for (size_t i = 0; tree.node != NULL && i < summary->n_paths; i++)
        rf_histogram_release(&tree.node[i].row.histogram);
    free(tree.node);
    free(tree.order);
    return rf_summary_fail(status, rf_summary_input_at(summary, input)->path, err);
}

static int show(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                struct rf_err *err)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    rf_summary *summary = NULL;
    options.fold_numbers = table->fold_numbers > 0;
    options.without_steps = 1;
    int status = rf_summary_new(&summary, err);
    if (status == RF_OK)
        status = rf_summary_add(summary, rec, &options, err);
    if (status == RF_OK)
        status = show_input(report, summary, 0, table, err);
    rf_summary_free(summary);
    return status;
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
