/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_pushpop_trace: every push/pop range and its place among the others. Columns and definitions
 * are those of Nsight Systems: a range's parent is the shortest push/pop range of its thread around
 * it, of any domain. Start/end ranges are nobody's parents and change nothing. */
#include <stdlib.h>
#include <string.h>

#include "model/projection/projection_sweep.h"
#include "stats/column_meanings.h"
#include "stats/range_labels.h"
#include "stats/range_tree_cells.h"
#include "stats/report.h"

enum {
    START,
    END,
    DURATION,
    CHILDREN,
    NOT_CHILDREN,
    NAME,
    PID,
    TID,
    LEVEL,
    N_CHILDREN,
    RANGE_ID,
    PARENT_ID,
    STACK,
    TREE
};

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the range"},
    [END] = {"End (ns)", RF_COLUMN_TIME, "end of the range, or where it was cut"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "End less Start"},
    [CHILDREN] = {"DurChild (ns)", RF_COLUMN_COUNT,
                  "sum of the durations of the ranges directly inside it"},
    [NOT_CHILDREN] = {"DurNonChild (ns)", RF_COLUMN_SIGNED, "Duration less DurChild"},
    [NAME] = {"Name", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
    [LEVEL] = {"Lvl", RF_COLUMN_COUNT, RF_MEANS_LEVEL},
    [N_CHILDREN] = {"NumChild", RF_COLUMN_COUNT, RF_MEANS_N_CHILDREN},
    [RANGE_ID] = {"RangeId", RF_COLUMN_ID, RF_MEANS_RANGE_ID},
    [PARENT_ID] = {"ParentId", RF_COLUMN_ID, RF_MEANS_PARENT_ID},
    [STACK] = {"RangeStack", RF_COLUMN_TEXT, RF_MEANS_RANGE_STACK},
    [TREE] = {"NameTree", RF_COLUMN_TREE, "Name after two dashes for each range around it"},
};

struct trace {
    const rf_recording *rec;
    size_t *first; /* per thread: the index of its first event in id */
    uint64_t *id;  /* per event: its place among all, from 1, as nsys numbers its rows */
    /* Of one thread's events; room for the thread that has most. */
    struct rf_range_node *node;
    uint64_t *children_ns; /* what the range's children took */
    uint32_t *path;        /* for rf_range_node_find_level() */
    /* Of one thread's push/pop ranges: what rf_sweep() takes and gives. */
    struct rf_span *span;
    struct rf_work *work;
    uint32_t *parent;
};

static uint64_t duration_of(const struct rf_event *event)
{
    return (uint64_t)event->end_ns - (uint64_t)event->start_ns;
}

static bool init(struct trace *trace, const rf_recording *rec)
{
    size_t n_events = 0, n_most = 0;
    uint32_t n = rf_n_threads(rec);
    trace->first = calloc((size_t)n + 1, sizeof(*trace->first));
    for (uint32_t t = 0; t < n && trace->first != NULL; t++) {
        size_t n_own = 0;
        (void)rf_thread_events(rec, t, &n_own);
        trace->first[t] = n_events;
        n_events += n_own;
        n_most = n_own > n_most ? n_own : n_most;
    }
    trace->id = calloc(n_events + 1, sizeof(*trace->id));
    trace->node = malloc((n_most + 1) * sizeof(*trace->node));
    trace->children_ns = malloc((n_most + 1) * sizeof(*trace->children_ns));
    trace->path = malloc((n_most + 1) * sizeof(*trace->path));
    trace->span = calloc(n_most + 1, sizeof(*trace->span));
    trace->work = calloc(n_most + 1, sizeof(*trace->work));
    trace->parent = calloc(n_most + 1, sizeof(*trace->parent));
    return trace->first != NULL && trace->id != NULL && trace->node != NULL &&
           trace->children_ns != NULL && trace->path != NULL && trace->span != NULL &&
           trace->work != NULL && trace->parent != NULL;
}

static void release(struct trace *trace)
{
    free(trace->first);
    free(trace->id);
    free(trace->node);
    free(trace->children_ns);
    free(trace->path);
    free(trace->span);
    free(trace->work);
    free(trace->parent);
}

static int find_ids(struct trace *trace, struct rf_err *err)
{
    struct rf_cursor *cursor;
    struct rf_event_at at;
    int status = rf_cursor_new(trace->rec, &cursor, err);
    if (status != RF_OK)
        return status;
    for (uint64_t n = 1; rf_cursor_next(cursor, &at); n++) {
        size_t n_events;
        const struct rf_event *first = rf_thread_events(trace->rec, at.thread, &n_events);
        trace->id[trace->first[at.thread] + (size_t)(at.event - first)] = n;
    }
    rf_cursor_free(cursor);
    return RF_OK;
}

static int compare_spans(const void *a, const void *b)
{
    const struct rf_span *x = a;
    const struct rf_span *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static size_t collect_spans(struct trace *trace, const struct rf_event *event, size_t n_events)
{
    size_t n = 0;
    for (uint32_t i = 0; i < n_events; i++)
        if (event[i].kind == RF_EVENT_PUSH_POP)
            trace->span[n++] = (struct rf_span){event[i].start_ns, event[i].end_ns, i};
    qsort(trace->span, n, sizeof(*trace->span), compare_spans);
    return n;
}

/* Finds the parents as projection does those of calls. */
static bool find_parents(struct trace *trace, const struct rf_event *event, size_t n)
{
    struct rf_sweep sweep = {.span = trace->span, .work = trace->work, .parent = trace->parent};
    sweep.n_spans = collect_spans(trace, event, n);
    memset(trace->children_ns, 0, n * sizeof(*trace->children_ns));
    for (size_t i = 0; i < n; i++)
        trace->node[i] = (struct rf_range_node){RF_NO_INDEX, RF_NO_INDEX, 0};
    if (rf_sweep(&sweep) != RF_OK)
        return false;
    for (size_t i = 0; i < sweep.n_spans; i++) {
        if (trace->parent[i] == RF_NO_INDEX)
            continue;
        uint32_t self = trace->span[i].event;
        uint32_t parent = trace->span[trace->parent[i]].event;
        trace->node[self].parent = parent;
        trace->node[parent].n_children++;
        trace->children_ns[parent] += duration_of(&event[self]);
    }
    return true;
}

/* The name, and the name after two dashes for each level. */
static bool set_names(struct rf_cell *row, const rf_recording *rec, const struct rf_event *event)
{
    if (!rf_cell_set_range(&row[NAME], rec, event->domain, event->name))
        return false;
    size_t n = 2 * (row[LEVEL].count < RF_MAX_STACK ? row[LEVEL].count : RF_MAX_STACK);
    char *tree = malloc(n + row[NAME].size + 1);
    row[TREE].text = tree;
    if (tree == NULL)
        return false;
    memset(tree, '-', n);
    memcpy(tree + n, row[NAME].text, row[NAME].size + 1);
    row[TREE].size = n + row[NAME].size;
    return true;
}

static bool set_row(struct rf_cell *row, const struct trace *trace, uint32_t t, uint32_t i)
{
    size_t n;
    const struct rf_thread *thread = rf_thread_at(trace->rec, t);
    const struct rf_event *event = &rf_thread_events(trace->rec, t, &n)[i];
    const struct rf_range_node *node = &trace->node[i];
    const uint64_t *id = trace->id + trace->first[t];
    row[START].time = event->start_ns;
    row[END].time = event->end_ns;
    row[DURATION].count = duration_of(event);
    row[CHILDREN].count = trace->children_ns[i];
    row[NOT_CHILDREN].time = (int64_t)(duration_of(event) - trace->children_ns[i]);
    row[PID].count = rf_process_at(trace->rec, thread->process)->pid;
    row[TID].count = thread->tid;
    row[LEVEL].count = node->level;
    row[N_CHILDREN].count = node->n_children;
    row[RANGE_ID].count = id[i];
    row[PARENT_ID].count = node->parent != RF_NO_INDEX ? id[node->parent] : RF_NO_ID;
    return rf_cell_set_stack(&row[STACK], trace->node, id, i) && set_names(row, trace->rec, event);
}

static bool add_rows(struct rf_table *table, struct trace *trace, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(trace->rec, thread, &n);
    if (!find_parents(trace, event, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP)
            continue;
        rf_range_node_find_level(trace->node, i, trace->path);
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, trace, thread, i))
            return false;
    }
    return true;
}

static int list_ranges(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {RANGE_ID};
    struct trace trace = {.rec = rec};
    (void)report;
    int status = init(&trace, rec) ? find_ids(&trace, err) : RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < rf_n_threads(rec) && status == RF_OK; t++)
        if (!add_rows(table, &trace, t))
            status = RF_ERR_NO_MEMORY;
    rf_table_sort(table, order, 1);
    release(&trace);
    return status;
}

const struct rf_report rf_report_nvtx_pushpop_trace = {
    .name = "nvtx_pushpop_trace",
    .alias = "nvtxpptrace",
    .description = "every NVTX push/pop range, and its place among the others",
    .needs = RF_NEEDS_RANGES,
    .not_summed = "it lists single ranges; 'nvtx_pushpop_sum' has their sums",
    .title = "NVTX Push/Pop Range Trace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_ranges,
};
