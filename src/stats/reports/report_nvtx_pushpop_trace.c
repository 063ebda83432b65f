/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_pushpop_trace: every push/pop range and its place among the others. Columns and definitions
 * are those of Nsight Systems: a range's parent is the shortest push/pop range of its thread around
 * it, of any domain. Start/end ranges are nobody's parents and change nothing. */
#include <stdlib.h>

#include "base/error.h"
#include "model/projection/projection_sweep.h"
#include "stats/range_labels.h"
#include "stats/stats.h"

/* So many ranges of a stack, and so many dashes, are shown: they would grow with the square of the
 * depth of a recursion. */
#define MAX_STACK 256

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
    [START] = {"Start (ns)", RF_COLUMN_TIME},
    [END] = {"End (ns)", RF_COLUMN_TIME},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT},
    [CHILDREN] = {"DurChild (ns)", RF_COLUMN_COUNT},
    [NOT_CHILDREN] = {"DurNonChild (ns)", RF_COLUMN_TIME},
    [NAME] = {"Name", RF_COLUMN_TEXT},
    [PID] = {"PID", RF_COLUMN_ID},
    [TID] = {"TID", RF_COLUMN_ID},
    [LEVEL] = {"Lvl", RF_COLUMN_COUNT},
    [N_CHILDREN] = {"NumChild", RF_COLUMN_COUNT},
    [RANGE_ID] = {"RangeId", RF_COLUMN_ID},
    [PARENT_ID] = {"ParentId", RF_COLUMN_ID},
    [STACK] = {"RangeStack", RF_COLUMN_TEXT},
    [TREE] = {"NameTree", RF_COLUMN_TREE},
};

struct node {
    uint64_t id;          /* its place among all events, from 1, as nsys numbers its rows */
    uint64_t children_ns; /* what its children took */
    uint32_t parent;      /* event of the same thread, or RF_NO_INDEX */
    uint32_t level;       /* RF_NO_INDEX: not known yet */
    uint32_t n_children;
};

struct trace {
    const rf_recording *rec;
    size_t *first;     /* per thread: its first node */
    struct node *node; /* per event */
    uint32_t *way;     /* for find_level() */
    /* The push/pop ranges of a thread, and what is found for each; of the longest thread's size. */
    struct rf_span *span;
    struct rf_work *work;
    uint32_t *parent;
};

static uint64_t duration_of(const struct rf_event *event)
{
    return (uint64_t)event->end_ns - (uint64_t)event->start_ns;
}

static int init(struct trace *trace, const rf_recording *rec, struct rf_err *err)
{
    size_t n_events = 0, n_most = 0;
    uint32_t n = rf_n_threads(rec);
    trace->rec = rec;
    trace->first = calloc((size_t)n + 1, sizeof(*trace->first));
    for (uint32_t t = 0; t < n && trace->first != NULL; t++) {
        size_t n_own = 0;
        (void)rf_thread_events(rec, t, &n_own);
        trace->first[t] = n_events;
        n_events += n_own;
        n_most = n_own > n_most ? n_own : n_most;
    }
    trace->node = calloc(n_events + 1, sizeof(*trace->node));
    trace->way = calloc(n_events + 1, sizeof(*trace->way));
    trace->span = calloc(n_most + 1, sizeof(*trace->span));
    trace->work = calloc(n_most + 1, sizeof(*trace->work));
    trace->parent = calloc(n_most + 1, sizeof(*trace->parent));
    return trace->first != NULL && trace->node != NULL && trace->way != NULL &&
                   trace->span != NULL && trace->work != NULL && trace->parent != NULL
               ? RF_OK
               : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

static void release(struct trace *trace)
{
    free(trace->first);
    free(trace->node);
    free(trace->way);
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
        trace->node[trace->first[at.thread] + (size_t)(at.event - first)].id = n;
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

/* The way from calls to ranges, without calls. */
static int find_parents(struct trace *trace, uint32_t thread)
{
    size_t n_events = 0;
    const struct rf_event *event = rf_thread_events(trace->rec, thread, &n_events);
    struct node *node = trace->node + trace->first[thread];
    struct rf_sweep sweep = {.span = trace->span, .work = trace->work, .parent = trace->parent};
    sweep.n_spans = collect_spans(trace, event, n_events);
    if (rf_sweep(&sweep) != RF_OK)
        return 0;
    for (size_t i = 0; i < sweep.n_spans; i++) {
        uint32_t self = trace->span[i].event;
        node[self].parent = node[self].level = RF_NO_INDEX;
        if (trace->parent[i] == RF_NO_INDEX)
            continue;
        uint32_t parent = node[self].parent = trace->span[trace->parent[i]].event;
        node[parent].n_children++;
        node[parent].children_ns += duration_of(&event[self]);
    }
    return 1;
}

/* A parent may stand behind its child where both begin together: up to the first level that is
 * known, and back. */
static void find_level(struct trace *trace, struct node *node, uint32_t i)
{
    size_t n = 0;
    for (; i != RF_NO_INDEX && node[i].level == RF_NO_INDEX; i = node[i].parent)
        trace->way[n++] = i;
    uint32_t level = i != RF_NO_INDEX ? node[i].level + 1 : 0;
    while (n > 0)
        node[trace->way[--n]].level = level++;
}

/* ":1:2:3", the outermost first. */
static int set_stack(struct rf_cell *cell, const struct node *node, uint32_t i)
{
    char text[8 + MAX_STACK * 21];
    uint64_t stack[MAX_STACK];
    size_t n = 0, used = 0;
    for (; i != RF_NO_INDEX && n < MAX_STACK; i = node[i].parent)
        stack[n++] = node[i].id;
    if (i != RF_NO_INDEX) {
        memcpy(text, ":...", 4);
        used = 4;
    }
    while (n > 0) {
        text[used++] = ':';
        used += rf_format_u64(text + used, stack[--n]);
    }
    return rf_cell_set_text(cell, text, used);
}

/* The name behind two dashes for each level. */
static int set_names(struct rf_cell *row, const rf_recording *rec, const struct rf_event *event)
{
    size_t size;
    char *label = rf_range_label(rec, event->domain, event->name, &size);
    size_t n = 2 * (row[LEVEL].count < MAX_STACK ? row[LEVEL].count : MAX_STACK);
    char *tree = label != NULL ? malloc(n + size + 1) : NULL;
    int is_set = tree != NULL;
    if (is_set) {
        memset(tree, '-', n);
        memcpy(tree + n, label, size);
        is_set = rf_cell_set_text(&row[NAME], label, size) &&
                 rf_cell_set_text(&row[TREE], tree, n + size);
    }
    free(label);
    free(tree);
    return is_set;
}

static int set_row(struct rf_cell *row, const struct trace *trace, uint32_t t, uint32_t i)
{
    size_t n;
    const struct rf_thread *thread = rf_thread_at(trace->rec, t);
    const struct rf_event *event = &rf_thread_events(trace->rec, t, &n)[i];
    const struct node *node = trace->node + trace->first[t];
    row[START].time = event->start_ns;
    row[END].time = event->end_ns;
    row[DURATION].count = duration_of(event);
    row[CHILDREN].count = node[i].children_ns;
    row[NOT_CHILDREN].time = (int64_t)(duration_of(event) - node[i].children_ns);
    row[PID].count = rf_process_at(trace->rec, thread->process)->pid;
    row[TID].count = thread->tid;
    row[LEVEL].count = node[i].level;
    row[N_CHILDREN].count = node[i].n_children;
    row[RANGE_ID].count = node[i].id;
    row[PARENT_ID].count =
        node[i].parent != RF_NO_INDEX ? node[node[i].parent].id : (uint64_t)RF_NO_ID;
    return set_stack(&row[STACK], node, i) && set_names(row, trace->rec, event);
}

static int add_rows(struct rf_table *table, struct trace *trace, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(trace->rec, thread, &n);
    if (!find_parents(trace, thread))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP)
            continue;
        find_level(trace, trace->node + trace->first[thread], i);
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, trace, thread, i))
            return 0;
    }
    return 1;
}

static int compare_rows(const void *a, const void *b)
{
    const struct rf_cell *x = a;
    const struct rf_cell *y = b;
    return x[RANGE_ID].count < y[RANGE_ID].count ? -1 : x[RANGE_ID].count > y[RANGE_ID].count;
}

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    struct trace trace = {.rec = rec};
    rf_table_init(table, "NVTX Push/Pop Range Trace", columns,
                  sizeof(columns) / sizeof(columns[0]));
    int status = init(&trace, rec, err);
    if (status == RF_OK)
        status = find_ids(&trace, err);
    for (uint32_t t = 0; t < rf_n_threads(rec) && status == RF_OK; t++)
        if (!add_rows(table, &trace, t))
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    rf_table_sort(table, compare_rows);
    release(&trace);
    return status;
}

const struct rf_report rf_report_nvtx_pushpop_trace = {
    .name = "nvtx_pushpop_trace",
    .alias = "nvtxpptrace",
    .description = "every NVTX push/pop range, and its place among the others",
    .shown = RF_REPORT_ON_REQUEST,
    .fill = fill,
};
