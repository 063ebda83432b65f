/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes: ranges by name, those that take the most time themselves first. It is made
 * of a summary, so that recordings and summaries have the same rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/fold_numbers.h"
#include "base/grow.h"
#include "rangefinder/why.h"
#include "stats/column_meanings.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/summary_rows.h"

#define MANY_NAMES 100 /* with more, those that differ by numbers are one if nothing is said */

enum { SELF_SHARE, SELF, PARENT_SHARE, TOTAL_SHARE, TOTAL, NUMBER, MEDIAN, LONGEST, NAMES, RANGE };

static const struct rf_column columns[] = {
    [SELF_SHARE] = {"Self (%)", RF_COLUMN_SHARE,
                    "share of the sum of all rows' Self Time: the self times of all ranges, of all "
                    "threads"},
    [SELF] = {"Self Time (ns)", RF_COLUMN_SPAN, "sum of the time that no range inside them covers"},
    [PARENT_SHARE] =
        {"Parent (%)", RF_COLUMN_REAL,
         "time of those that lie in other ranges, as a share of the time of all ranges of the "
         "names directly around them, whether or not they have one inside; None: nothing is "
         "around them, or that is not known"},
    [TOTAL_SHARE] = {"Total (%)", RF_COLUMN_REAL,
                     "share that Total Time has of that of Self (%); None: it is not known what is "
                     "around them"},
    [TOTAL] = {"Total Time (ns)", RF_COLUMN_SPAN,
               "sum of the durations, without those of ranges in a range of the same row"},
    [NUMBER] = {"Instances", RF_COLUMN_COUNT, "number of ranges"},
    [MEDIAN] = {"Med (ns)", RF_COLUMN_SPAN,
                "median of the durations, of a histogram: at most 0.4 % off"},
    [LONGEST] = {"Max (ns)", RF_COLUMN_SPAN, "longest duration"},
    [NAMES] = {"Names", RF_COLUMN_FOLDED, "number of names that the row is of"},
    [RANGE] = {"Range", RF_COLUMN_TEXT,
               "domain:message of the range, where one # may stand for each number; :message in "
               "the default domain; (all other names): paths with less time, of a summary"},
};

static const struct rf_quantile_place quantile_places[] = {
    {NAMES, "", " (ns)", RF_COLUMN_SIGNED},
};

/* What becomes a row. */
struct group {
    uint32_t path;             /* its first one */
    uint32_t n_names, n_open;  /* n_open: of the ranges around where the walk is */
    uint32_t counted;          /* the range around whose time around_ns has; RF_NO_INDEX: none */
    struct rf_summary_row row; /* push/pop and start/end ranges */
    uint64_t outer_ns;         /* of those that are in no range of this group */
    double nested_ns, around_ns;
};

/* A path with ranges, in the tree of those. The last node is around the outermost. */
struct node {
    uint64_t n, total_ns;
    uint32_t around, child, next; /* RF_NO_INDEX: none */
    uint32_t group;
};

struct work {
    const rf_summary *summary;
    uint32_t input;
    bool folds_numbers;
    struct node *node; /* by path */
    struct group *group;
    size_t n_groups, room;
    struct rf_map names;     /* domain, name -> group */
    struct rf_map group_of;  /* domain, folded name -> group */
    struct rf_strings texts; /* folded */
};

static bool is_range(const struct work *work, const struct rf_summary_row *row)
{
    return row->input == work->input &&
           (row->kind == RF_SUMMARY_PUSH_POP || row->kind == RF_SUMMARY_START_END);
}

/* ---- Names ---- */

/* More than MANY_NAMES of ranges, so that nobody would read them all. RF_OK or an error. */
static int find_many_names(const struct work *work, bool *are_many)
{
    struct rf_map names = {.entry = NULL};
    int status = RF_OK;
    *are_many = false;
    for (size_t i = 0; i < work->summary->n_rows && status == RF_OK && !*are_many; i++) {
        const struct rf_summary_path *path = &work->summary->path[work->summary->row[i].path];
        if (is_range(work, &work->summary->row[i]))
            status = rf_map_set(&names, path->domain, path->name, 0);
        *are_many = names.n > MANY_NAMES;
    }
    rf_map_release(&names);
    return status;
}

/* What names of one row share; RF_MAP_NONE: out of memory. */
static uint64_t key_of(struct work *work, uint32_t name)
{
    size_t size;
    const char *text = rf_summary_text(work->summary, name, &size);
    if (text == NULL || !work->folds_numbers)
        return (uint64_t)name + ((uint64_t)1 << 32);
    char *folded = malloc(size + 1);
    uint32_t string = RF_NO_STRING;
    if (folded != NULL)
        string = rf_strings_add(&work->texts, folded, rf_fold_numbers(folded, text, size));
    free(folded);
    return string;
}

/* The group of a name that had none. */
static uint32_t add_name(struct work *work, uint32_t path)
{
    const struct rf_summary_path *of = &work->summary->path[path];
    const uint64_t key = key_of(work, of->name);
    if (key == RF_NO_STRING)
        return RF_MAP_NONE;
    uint32_t group = rf_map_find(&work->group_of, of->domain, key);
    if (group == RF_MAP_NONE) {
        group = (uint32_t)work->n_groups;
        if (rf_grow_array(&work->group, work->n_groups, &work->room, sizeof(*work->group)) !=
                RF_OK ||
            rf_map_set(&work->group_of, of->domain, key, group) != RF_OK)
            return RF_MAP_NONE;
        work->group[work->n_groups++] = (struct group){.path = path, .counted = RF_NO_INDEX};
    }
    work->group[group].n_names++;
    return rf_map_set(&work->names, of->domain, of->name, group) == RF_OK ? group : RF_MAP_NONE;
}

static int find_groups(struct work *work)
{
    const rf_summary *summary = work->summary;
    int status = RF_OK;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++) {
        const struct rf_summary_row *row = &summary->row[i];
        if (!is_range(work, row) || row->n == 0)
            continue;
        const struct rf_summary_path *path = &summary->path[row->path];
        struct node *node = &work->node[row->path];
        node->group = rf_map_find(&work->names, path->domain, path->name);
        if (node->group == RF_MAP_NONE)
            node->group = add_name(work, row->path);
        if (node->group == RF_MAP_NONE)
            return RF_ERR_NO_MEMORY;
        node->n += row->n;
        node->total_ns += row->total;
        status = rf_summary_row_merge(&work->group[node->group].row, row);
    }
    return status;
}

/* ---- What lies in what ---- */

/* Paths stand behind those around them. One without ranges, as a filter can leave it, is left out:
 * what it has inside lies in what is around it. */
static void make_tree(struct work *work)
{
    const uint32_t n = (uint32_t)work->summary->n_paths;
    struct node *node = work->node;
    node[n] = (struct node){.around = RF_NO_INDEX, .child = RF_NO_INDEX, .next = RF_NO_INDEX};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t parent = work->summary->path[i].parent;
        node[i].child = node[i].next = RF_NO_INDEX;
        node[i].around = parent == RF_NO_INDEX ? n : parent;
        if (node[i].around != n && node[node[i].around].n == 0)
            node[i].around = node[node[i].around].around;
    }
    for (uint32_t i = n; i-- > 0;) {
        if (node[i].n == 0)
            continue;
        node[i].next = node[node[i].around].child;
        node[node[i].around].child = i;
    }
}

/* Adds what the ranges of a path take of those directly around them. */
static void add_nested(struct work *work, uint32_t path)
{
    const struct node *node = &work->node[path];
    struct group *group = &work->group[node->group];
    if (node->around == work->summary->n_paths)
        return;
    group->nested_ns += (double)node->total_ns;
    if (group->counted != node->around)
        group->around_ns += (double)work->node[node->around].total_ns;
    group->counted = node->around;
}

/* Each node before those inside it: what is in a range of its own group is known by then. */
static void walk(struct work *work)
{
    const uint32_t root = (uint32_t)work->summary->n_paths;
    struct node *node = work->node;
    for (uint32_t p = 0; p <= root; p++)
        for (uint32_t i = node[p].child; i != RF_NO_INDEX; i = node[i].next)
            add_nested(work, i);
    uint32_t i = node[root].child;
    while (i != RF_NO_INDEX) {
        struct group *group = &work->group[node[i].group];
        if (group->n_open++ == 0)
            group->outer_ns += node[i].total_ns;
        uint32_t next = node[i].child;
        while (next == RF_NO_INDEX && i != root) {
            work->group[node[i].group].n_open--;
            next = node[i].next;
            i = node[i].around;
        }
        i = next;
    }
}

/* ---- The rows ---- */

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static bool add_row(struct rf_table *table, const struct work *work, const struct group *group,
                    double all_ns)
{
    const struct rf_summary_path *path = &work->summary->path[group->path];
    const struct rf_summary_path flat = {RF_NO_INDEX, path->domain, path->name};
    const struct rf_durations measured = rf_summary_measure(&group->row);
    const bool is_rest = path->name == RF_REST_OF_NAMES;
    struct rf_cell *row = rf_table_add_row(table);
    size_t name_size;
    if (row == NULL || !rf_cell_set_path(&row[RANGE], work->summary, &flat, 0))
        return false;
    (void)rf_summary_text(work->summary, path->name, &name_size);
    if (group->n_names > 1)
        rf_cell_fold_numbers(&row[RANGE], name_size);
    row[SELF_SHARE].real = share((double)group->row.self, all_ns);
    row[SELF].count = group->row.self;
    row[PARENT_SHARE].real = group->around_ns > 0 ? share(group->nested_ns, group->around_ns) : NAN;
    row[TOTAL_SHARE].real = is_rest ? NAN : share((double)group->outer_ns, all_ns);
    row[TOTAL].count = group->outer_ns;
    row[NUMBER].count = group->row.n;
    row[MEDIAN].count = (uint64_t)(measured.median_ns + 0.5);
    row[LONGEST].count = measured.max_ns;
    row[NAMES].count = group->n_names;
    rf_row_set_summary_quantiles(table, row, 0, &group->row);
    return true;
}

static void add_notes(struct rf_table *table, const struct work *work, double all_ns)
{
    const struct rf_summary_input *input = rf_summary_input_at(work->summary, work->input);
    const uint64_t n = table->n_captures > 0 ? table->n_captures : input->n_inputs;
    const uint64_t took_ns = table->n_captures > 0 ? table->captured_ns : input->duration_ns;
    char all[32], duration[32], names[32];
    rf_table_add_note(
        table, "100 %% is %s, the self times of all ranges; the %s%s took %s",
        rf_format_duration(all, sizeof(all), all_ns < 9e18 ? (int64_t)all_ns : INT64_MAX),
        table->n_captures > 0 ? "capture" : "recording", n > 1 ? "s" : "",
        rf_format_duration(duration, sizeof(duration), (int64_t)took_ns));
    if (work->folds_numbers && work->names.n > work->n_groups && table->fold_numbers == 0)
        rf_table_add_note(table,
                          "of %s names those that differ by numbers alone are one, with #; "
                          "--fold-numbers=false shows each",
                          rf_format_count(names, sizeof(names), work->names.n));
}

/* How much longer the instances of a group take together than if each took the median. 0: they are
 * too few, or none is half as long again. */
static double excess_ns(const struct group *group)
{
    const double median_ns = rf_summary_measure(&group->row).median_ns;
    if (group->row.n < RF_WHY_MIN_INSTANCES || (double)group->row.max.value < 1.5 * median_ns)
        return 0;
    return (double)group->row.total - (double)group->row.n * median_ns;
}

/* What would be asked next: why are some of them longer than others? */
static void find_differing(const struct rf_table *table, const struct work *work, double all_ns)
{
    double most_ns = all_ns / 100;
    rf_table_set_differing(table, "", 0);
    for (size_t i = 0; i < work->n_groups; i++) {
        size_t size;
        const uint32_t name = work->summary->path[work->group[i].path].name;
        const char *text = rf_summary_text(work->summary, name, &size);
        if (text != NULL && excess_ns(&work->group[i]) > most_ns &&
            rf_table_set_differing(table, text, size))
            most_ns = excess_ns(&work->group[i]);
    }
}

static bool add_rows(struct rf_table *table, struct work *work)
{
    static const int order[] = {~SELF, ~TOTAL, ~NUMBER, RANGE};
    double all_ns = 0;
    for (size_t i = 0; i < work->n_groups; i++)
        all_ns += (double)work->group[i].row.self;
    for (size_t i = 0; i < work->n_groups; i++)
        if (!add_row(table, work, &work->group[i], all_ns))
            return false;
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    find_differing(table, work, all_ns);
    if (table->n_rows > 0)
        add_notes(table, work, all_ns);
    return true;
}

static void release(struct work *work)
{
    for (size_t i = 0; i < work->n_groups; i++)
        rf_histogram_release(&work->group[i].row.histogram);
    free(work->node);
    free(work->group);
    rf_map_release(&work->names);
    rf_map_release(&work->group_of);
    rf_strings_release(&work->texts);
}

static int show_input(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      struct rf_table *table, struct rf_err *err)
{
    struct work work = {.summary = summary,
                        .input = input,
                        .folds_numbers = table->fold_numbers > 0,
                        .node = calloc(summary->n_paths + 1, sizeof(*work.node))};
    rf_strings_init(&work.texts, rf_hash_seed());
    int status = work.node != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK && table->fold_numbers == 0)
        status = find_many_names(&work, &work.folds_numbers);
    if (status == RF_OK)
        status = find_groups(&work);
    if (status == RF_OK) {
        make_tree(&work);
        walk(&work);
        status = add_rows(table, &work) ? RF_OK : RF_ERR_NO_MEMORY;
    }
    if (table->n_rows > 0)
        rf_add_summary_notes(report, table, rf_summary_input_at(summary, input), false);
    release(&work);
    return rf_summary_fail(status, rf_summary_input_at(summary, input)->path, err);
}

static int show(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                struct rf_err *err)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    options.max_paths = UINT32_MAX;
    options.without_steps = 1;
    rf_table_set_captures(table, rec);
    return rf_report_by_summary(report, rec, &options, table, err);
}

const struct rf_report rf_report_self_time = {
    .name = "self_time",
    .description = "NVTX ranges by the time that they take themselves, by name",
    .needs = RF_NEEDS_RANGES,
    .is_of_paths = true,
    .title = "Where the Time Goes",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .compute = show,
    .compute_summary = show_input,
};
