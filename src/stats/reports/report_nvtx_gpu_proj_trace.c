/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_gpu_proj_trace: every range that caused GPU work, and when that work ran. Columns and
 * definitions are those of Nsight Systems. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sink.h"
#include "stats/range_labels.h"
#include "stats/range_tree.h"
#include "stats/stats.h"

/* So many ranges of a stack are listed, the inner ones: a list for each of the ranges of a deep
 * recursion would otherwise grow with the square of its depth. */
#define MAX_STACK 256

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
    [NAME] = {"Name", RF_COLUMN_TEXT},
    [PROJ_START] = {"Projected Start (ns)", RF_COLUMN_TIME},
    [PROJ_DURATION] = {"Projected Duration (ns)", RF_COLUMN_COUNT},
    [START] = {"Orig Start (ns)", RF_COLUMN_TIME},
    [DURATION] = {"Orig Duration (ns)", RF_COLUMN_COUNT},
    [STYLE] = {"Style", RF_COLUMN_WORD},
    [PID] = {"PID", RF_COLUMN_ID},
    [TID] = {"TID", RF_COLUMN_ID},
    [N_OPS] = {"NumGPUOps", RF_COLUMN_COUNT},
    [LEVEL] = {"Lvl", RF_COLUMN_COUNT},
    [N_CHILDREN] = {"NumChild", RF_COLUMN_COUNT},
    [RANGE_ID] = {"RangeId", RF_COLUMN_ID},
    [PARENT_ID] = {"ParentId", RF_COLUMN_ID},
    [STACK] = {"RangeStack", RF_COLUMN_TEXT},
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

/* ":1:2:3", the outermost first. */
static int set_stack(struct rf_cell *cell, const struct rf_range_tree *tree, const uint64_t *id,
                     uint32_t range)
{
    char text[8 + MAX_STACK * 21];
    uint32_t stack[MAX_STACK];
    size_t n = 0;
    size_t used = 0;
    for (; range != RF_NO_INDEX && n < MAX_STACK; range = tree->node[range].parent)
        stack[n++] = range;
    if (range != RF_NO_INDEX) {
        memcpy(text, ":...", 4);
        used = 4;
    }
    while (n > 0) {
        text[used++] = ':';
        used += rf_format_u64(text + used, id[stack[--n]]);
    }
    return rf_cell_set_text(cell, text, used);
}

static int set_row(struct rf_cell *row, const struct rf_range_tree *tree, const uint64_t *id,
                   uint32_t i)
{
    size_t size;
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
    char *label = rf_range_label(tree->rec, range->domain, range->name, &size);
    int is_set = label != NULL && rf_cell_set_text(&row[NAME], label, size) &&
                 set_stack(&row[STACK], tree, id, i);
    free(label);
    return is_set;
}

static int compare_rows(const void *a, const void *b)
{
    const struct rf_cell *x = a;
    const struct rf_cell *y = b;
    if (x[PROJ_START].time != y[PROJ_START].time)
        return x[PROJ_START].time < y[PROJ_START].time ? -1 : 1;
    return x[RANGE_ID].count < y[RANGE_ID].count ? -1 : x[RANGE_ID].count > y[RANGE_ID].count;
}

static int add_rows(struct rf_table *table, const struct rf_range_tree *tree, struct rf_err *err)
{
    uint64_t *id = calloc(tree->n + 1, sizeof(*id));
    int status =
        id != NULL ? find_ids(tree, id, err) : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < tree->n && status == RF_OK; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, tree, id, i))
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    free(id);
    return status;
}

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    struct rf_range_tree tree;
    rf_table_init(table, "NVTX GPU Projection Trace", columns,
                  sizeof(columns) / sizeof(columns[0]));
    int status = rf_range_tree_init(&tree, rec, table->by_process, err);
    if (status == RF_OK)
        status = add_rows(table, &tree, err);
    if (status == RF_OK) {
        rf_table_sort(table, compare_rows);
        rf_add_coverage_notes(rec, tree.projections, table);
    }
    rf_range_tree_release(&tree);
    return status;
}

const struct rf_report rf_report_nvtx_gpu_proj_trace = {
    .name = "nvtx_gpu_proj_trace",
    .alias = "nvtxgpuproj",
    .description = "every NVTX range that caused GPU work, and when that work ran",
    .shown = RF_REPORT_ON_REQUEST,
    .fill = fill,
};
