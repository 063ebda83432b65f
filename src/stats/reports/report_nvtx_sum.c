/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_sum: the time in ranges by domain, message and style, over all processes. Columns and
 * definitions are those of Nsight Systems. Two passes: one counts, so that the durations of each
 * group get a place in one array; the other fills it. Medians are exact. */
#include <stdlib.h>

#include "base/error.h"
#include "stats/durations.h"
#include "stats/reports/nvtx_sum.h"
#include "stats/range_labels.h"
#include "stats/stats.h"

static const struct rf_column columns[] = {
    {"Time (%)", RF_COLUMN_REAL},   {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Instances", RF_COLUMN_COUNT}, {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},   {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT},  {"StdDev (ns)", RF_COLUMN_REAL},
    {"Style", RF_COLUMN_WORD},      {"Range", RF_COLUMN_TEXT},
};

/* The same, where all rows are of one style. */
static const struct rf_column columns_of_style[] = {
    {"Time (%)", RF_COLUMN_REAL},   {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Instances", RF_COLUMN_COUNT}, {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},   {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT},  {"StdDev (ns)", RF_COLUMN_REAL},
    {"Range", RF_COLUMN_TEXT},
};

/* Ranges that are one row: their domains have the same name, whichever process they are of. */
struct group {
    uint32_t domain; /* the first of the domains of its name */
    uint32_t name;
    uint32_t style; /* RF_EVENT_PUSH_POP or RF_EVENT_START_END; 0: the place is free */
    size_t n;
    size_t filled;
    uint64_t *values;
    char *label;
    size_t label_size;
    struct rf_durations measured;
};

struct summary {
    const rf_recording *rec;
    int kind;              /* of ranges that count; 0: both */
    uint32_t *same_domain; /* by domain: the first one of its name */
    struct group *groups;  /* a hash table; its size is a power of two */
    size_t n_groups;
    size_t capacity;
    uint64_t *values;
    size_t n_values;
};

static int fail_memory(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* ---- Groups ---- */

static uint64_t hash_of(uint32_t domain, uint32_t name, uint32_t style)
{
    uint64_t hash = ((uint64_t)domain << 32 | name) * 0x9e3779b97f4a7c15u + style;
    hash ^= hash >> 32;
    return hash * 0xd6e8feb86659fd93u >> 20;
}

/* The group's place: its own, or a free one. */
static struct group *find_place(struct group *groups, size_t capacity, uint32_t domain,
                                uint32_t name, uint32_t style)
{
    size_t i = hash_of(domain, name, style) & (capacity - 1);
    while (groups[i].style != 0 &&
           (groups[i].domain != domain || groups[i].name != name || groups[i].style != style))
        i = (i + 1) & (capacity - 1);
    return &groups[i];
}

static int grow_groups(struct summary *sum)
{
    size_t capacity = sum->capacity > 0 ? sum->capacity * 2 : 1024;
    struct group *grown = calloc(capacity, sizeof(*grown));
    if (grown == NULL)
        return 0;
    for (size_t i = 0; i < sum->capacity; i++) {
        const struct group *old = &sum->groups[i];
        if (old->style != 0)
            *find_place(grown, capacity, old->domain, old->name, old->style) = *old;
    }
    free(sum->groups);
    sum->groups = grown;
    sum->capacity = capacity;
    return 1;
}

static struct group *group_of(struct summary *sum, const struct rf_event *event)
{
    return find_place(sum->groups, sum->capacity, sum->same_domain[event->domain], event->name,
                      event->kind);
}

static int counts(const struct summary *sum, const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END
               ? sum->kind == 0 || sum->kind == event->kind
               : 0;
}

static int count_ranges(struct summary *sum, struct rf_err *err)
{
    for (uint32_t t = 0; t < rf_n_threads(sum->rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(sum->rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            if (!counts(sum, &events[i]))
                continue;
            if (sum->n_groups * 2 >= sum->capacity && !grow_groups(sum))
                return fail_memory(err);
            struct group *group = group_of(sum, &events[i]);
            if (group->style == 0) {
                group->domain = sum->same_domain[events[i].domain];
                group->name = events[i].name;
                group->style = events[i].kind;
                sum->n_groups++;
            }
            group->n++;
            sum->n_values++;
        }
    }
    return RF_OK;
}

static int collect_durations(struct summary *sum, struct rf_err *err)
{
    sum->values = malloc((sum->n_values + 1) * sizeof(*sum->values));
    if (sum->values == NULL)
        return fail_memory(err);
    size_t next = 0;
    for (size_t i = 0; i < sum->capacity; i++) {
        sum->groups[i].values = sum->values + next;
        next += sum->groups[i].n;
    }
    for (uint32_t t = 0; t < rf_n_threads(sum->rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(sum->rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            if (!counts(sum, &events[i]))
                continue;
            struct group *group = group_of(sum, &events[i]);
            group->values[group->filled++] =
                (uint64_t)events[i].end_ns - (uint64_t)events[i].start_ns;
        }
    }
    return RF_OK;
}

/* ---- The table ---- */

/* By total time, the longest first; what follows makes the order the same every time. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a;
    const struct group *y = b;
    if (x->measured.total_ns != y->measured.total_ns)
        return x->measured.total_ns > y->measured.total_ns ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    size_t size = x->label_size < y->label_size ? x->label_size : y->label_size;
    int order = memcmp(x->label, y->label, size);
    if (order != 0)
        return order;
    if (x->label_size != y->label_size)
        return x->label_size < y->label_size ? -1 : 1;
    return x->style < y->style ? -1 : x->style > y->style;
}

static int add_row(struct rf_table *table, const struct group *group, double all_ns)
{
    const struct rf_durations *m = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return 0;
    row[0].real = all_ns > 0 ? 100 * (double)m->total_ns / all_ns : 0;
    row[1].count = m->total_ns;
    row[2].count = group->n;
    rf_cells_set_durations(&row[3], m);
    if (table->columns == columns)
        rf_cell_set_word(&row[8], rf_range_style((int)group->style));
    return rf_cell_set_text(&row[table->n_columns - 1], group->label, group->label_size);
}

static int measure_groups(struct summary *sum, struct rf_table *table, struct rf_err *err)
{
    double all_ns = 0;
    size_t n = 0;
    for (size_t i = 0; i < sum->capacity; i++) {
        struct group group = sum->groups[i];
        sum->groups[i].style = 0;
        if (group.style == 0)
            continue;
        rf_durations_measure(&group.measured, group.values, group.n);
        all_ns += (double)group.measured.total_ns;
        group.label = rf_range_label(sum->rec, group.domain, group.name, &group.label_size);
        if (group.label == NULL)
            return fail_memory(err);
        sum->groups[n++] = group;
    }
    if (n > 0)
        qsort(sum->groups, n, sizeof(*sum->groups), compare_groups);
    for (size_t i = 0; i < n; i++)
        if (!add_row(table, &sum->groups[i], all_ns))
            return fail_memory(err);
    return RF_OK;
}

static void add_notes(const rf_recording *rec, struct rf_table *table)
{
    const struct rf_info *info = rf_get_info(rec);
    if (info->n_cut > 0)
        rf_table_add_note(table,
                          "%llu of %llu ranges were cut: their end was not recorded, and they "
                          "count up to where they were cut",
                          (unsigned long long)info->n_cut, (unsigned long long)info->n_ranges);
    if (info->n_cut_at_start > 0)
        rf_table_add_note(table,
                          "%llu of %llu ranges were open when a capture began, and count from "
                          "their true start",
                          (unsigned long long)info->n_cut_at_start,
                          (unsigned long long)info->n_ranges);
    if (info->n_lost_records > 0)
        rf_table_add_note(table, "%llu events were lost: the figures are too low",
                          (unsigned long long)info->n_lost_records);
    if (info->is_live)
        rf_table_add_note(table, "the recording goes on: these are the figures so far");
}

static void release(struct summary *sum)
{
    for (size_t i = 0; i < sum->capacity; i++)
        free(sum->groups[i].label);
    free(sum->groups);
    free(sum->values);
    free(sum->same_domain);
}

int rf_fill_nvtx_sum(const rf_recording *rec, struct rf_table *table, const char *title, int kind,
                     struct rf_err *err)
{
    struct summary sum = {.rec = rec, .kind = kind};
    size_t n_columns = sizeof(columns) / sizeof(columns[0]);
    rf_table_init(table, title, kind == 0 ? columns : columns_of_style,
                  kind == 0 ? n_columns : n_columns - 1);
    sum.same_domain = rf_same_domains(rec);
    int status = sum.same_domain != NULL ? RF_OK : fail_memory(err);
    if (status == RF_OK)
        status = count_ranges(&sum, err);
    if (status == RF_OK)
        status = collect_durations(&sum, err);
    if (status == RF_OK)
        status = measure_groups(&sum, table, err);
    if (status == RF_OK)
        add_notes(rec, table);
    release(&sum);
    return status;
}

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_nvtx_sum(rec, table, "NVTX Range Summary", 0, err);
}

const struct rf_report rf_report_nvtx_sum = {
    .name = "nvtx_sum",
    .alias = "nvtxsum",
    .description = "the time in NVTX ranges, by domain, message and style",
    .shown = RF_REPORT_OF_RANGES,
    .fill = fill,
};
