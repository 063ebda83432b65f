/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_gpu_proj_trace: every range that caused GPU work, and when that work ran. Columns and
 * definitions are those of Nsight Systems. */
#include <stdlib.h>

#include "stats/column_meanings.h"
#include "stats/range_labels.h"
#include "stats/range_tree_cells.h"
#include "stats/report.h"

enum {
    NAME,
    PROJ_START,
    PROJ_DURATION,
    START,
    DURATION,
    STYLE,
    PID,
    TID,
    N_OPS,
    LEVEL,
    N_CHILDREN,
    RANGE_ID,
    PARENT_ID,
    STACK
};

static const struct rf_column columns[] = {
    [NAME] = {"Name", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    [PROJ_START] = {"Projected Start (ns)", RF_COLUMN_TIME,
                    "start of the first piece of GPU work that the range caused"},
    [PROJ_DURATION] = {"Projected Duration (ns)", RF_COLUMN_COUNT,
                       "time from there to the end of the last piece of this work"},
    [START] = {"Orig Start (ns)", RF_COLUMN_TIME, "start of the range on the CPU"},
    [DURATION] = {"Orig Duration (ns)", RF_COLUMN_COUNT, "duration of the range on the CPU"},
    [STYLE] = {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
    [N_OPS] = {"NumGPUOps", RF_COLUMN_COUNT,
               "number of calls in the range that caused GPU work; the launch of a graph is 1"},
    [LEVEL] = {"Lvl", RF_COLUMN_COUNT,
               "number of ranges with GPU work around it, of the same thread"},
    [N_CHILDREN] = {"NumChild", RF_COLUMN_COUNT,
                    "number of ranges with GPU work directly inside it"},
    [RANGE_ID] = {"RangeId", RF_COLUMN_ID, RF_MEANS_RANGE_ID},
    [PARENT_ID] = {"ParentId", RF_COLUMN_ID, RF_MEANS_PARENT_ID},
    [STACK] = {"RangeStack", RF_COLUMN_TEXT, RF_MEANS_RANGE_STACK},
};

/* A range's id is its place among the events of the recording, from 1, as nsys numbers the rows of
 * its table. */
static int find_ids(const struct rf_range_tree *tree, uint64_t *id, struct rf_err *err)
{
    struct rf_cursor *cursor;
    struct rf_event_at at;
    int status = rf_cursor_new(tree->rec, &cursor, err);
    if (status != RF_OK)
        return status;
    for (uint64_t n = 1; rf_cursor_next(cursor, &at); n++) {
        size_t n_events;
        const struct rf_event *first = rf_thread_events(tree->rec, at.thread, &n_events);
        uint32_t i = rf_range_tree_find(tree, at.thread, (uint32_t)(at.event - first));
        if (i != RF_NO_INDEX)
            id[i] = n;
    }
    rf_cursor_free(cursor);
    return RF_OK;
}

static bool set_row(struct rf_cell *row, const struct rf_range_tree *tree, const uint64_t *id,
                    uint32_t i)
{
    const struct rf_projection *projection = &tree->projection[i];
    const struct rf_event *range = rf_range_of(tree->rec, projection);
    const struct rf_thread *thread = rf_thread_at(tree->rec, projection->thread);
    const struct rf_range_node *node = &tree->node[i];
    row[PROJ_START].time = projection->start_ns;
    row[PROJ_DURATION].count = (uint64_t)projection->end_ns - (uint64_t)projection->start_ns;
    row[START].time = range->start_ns;
    row[DURATION].count = (uint64_t)range->end_ns - (uint64_t)range->start_ns;
    rf_cell_set_word(
        &row[STYLE],
        rf_range_style(range->kind | (projection->by_process ? RF_STYLE_BY_PROCESS : 0)));
    row[PID].count = rf_process_at(tree->rec, thread->process)->pid;
    row[TID].count = thread->tid;
    row[N_OPS].count = projection->n_calls;
    row[LEVEL].count = node->level;
    row[N_CHILDREN].count = node->n_children;
    row[RANGE_ID].count = id[i];
    row[PARENT_ID].count = node->parent != RF_NO_INDEX ? id[node->parent] : RF_NO_ID;
    return rf_cell_set_range(&row[NAME], tree->rec, range->domain, range->name) &&
           rf_cell_set_stack(&row[STACK], tree->node, id, i);
}

static int add_rows(struct rf_table *table, const struct rf_range_tree *tree, struct rf_err *err)
{
    uint64_t *id = calloc(tree->n + 1, sizeof(*id));
    int status = id != NULL ? find_ids(tree, id, err) : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < tree->n && status == RF_OK; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, tree, id, i))
            status = RF_ERR_NO_MEMORY;
    }
    free(id);
    return status;
}

static int list_projections(const struct rf_report *report, const rf_recording *rec,
                            struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {PROJ_START, RANGE_ID};
    struct rf_range_tree tree;
    (void)report;
    int status = rf_range_tree_init(&tree, rec, table->by_process, err);
    if (status == RF_OK)
        status = add_rows(table, &tree, err);
    if (status == RF_OK) {
        rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
        rf_add_coverage_notes(rec, tree.projections, table);
    }
    rf_range_tree_release(&tree);
    return status;
}

const struct rf_report rf_report_nvtx_gpu_proj_trace = {
    .name = "nvtx_gpu_proj_trace",
    .alias = "nvtxgpuproj",
    .description = "every NVTX range that caused GPU work, and when that work ran",
    .needs = RF_NEEDS_RANGES | RF_NEEDS_GPU_WORK,
    .not_summed = "it lists single ranges; 'nvtx_gpu_proj_sum' has their sums",
    .title = "NVTX GPU Projection Trace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_projections,
};
