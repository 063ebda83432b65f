/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_kern_sum: the kernels under each range, by thread, range and kernel. Columns and definitions
 * are those of Nsight Systems: a kernel counts for every range around its call, so that the cost
 * of this report is kernels times the depth of their ranges. Of ranges of one name in each other
 * its time counts for each, and the kernel once. Kernels under no range are in rows of their own,
 * with the range "None". */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/private_access.h"
#include "model/sums/projected_sums.h"
#include "stats/column_meanings.h"
#include "stats/counted_kernels.h"
#include "stats/covered_calls.h"
#include "stats/folded_names.h"
#include "stats/group_by.h"
#include "stats/kernel_names.h"
#include "stats/work_labels.h"
#include "stats/range_labels.h"
#include "stats/range_tree_cells.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

static const struct rf_column columns[] = {
    {"NVTX Range", RF_COLUMN_TEXT, "domain:message of the range; None: kernels under no range"},
    {"Style", RF_COLUMN_WORD,
     "PushPop or StartEnd, with \"(process)\" where the range counts for all threads of its "
     "process; None: under no range"},
    {"PID", RF_COLUMN_ID,
     "id of the process that launched the kernels; None: the thread is not known, as with nsys"},
    {"TID", RF_COLUMN_ID, "id of the thread that launched the kernels; None: not known"},
    {"NVTX Inst", RF_COLUMN_COUNT,
     "number of these ranges that have such kernels; 0 where there is no range"},
    {"Kern Inst", RF_COLUMN_COUNT, "number of kernels"},
    {"Total Time (ns)", RF_COLUMN_COUNT,
     "sum of the durations of the kernels; of ranges of one name in each other it counts for each"},
    {"Avg (ns)", RF_COLUMN_REAL, "mean of the durations"},
    {"Med (ns)", RF_COLUMN_REAL, "median of the durations"},
    {"Min (ns)", RF_COLUMN_COUNT, "shortest duration"},
    {"Max (ns)", RF_COLUMN_COUNT, "longest duration"},
    {"StdDev (ns)", RF_COLUMN_REAL, RF_MEANS_STDDEV},
    {"Kernel Name", RF_COLUMN_WORD, RF_MEANS_KERNEL},
};

static const struct rf_quantile_place quantile_places[] = {{12, "", " (ns)", RF_COLUMN_SIGNED}};

enum key { THREAD, DOMAIN, NAME, STYLE, KERNEL };
#define NO_STYLE 0

/* Pairs of a piece of work and a range around it that are visited one by one, 8 bytes each: so many
 * in any case, and so many for each piece. */
#define MAX_PAIRS ((uint64_t)1 << 20)
#define OF_PIECE  16u
#define MAX_STEPS ((uint64_t)1 << 31) /* where they are counted */

struct summary {
    const rf_recording *rec;
    struct rf_kernel_names *names;
    rf_projections *projections; /* of kernels alone */
    struct rf_group_by groups;
    const struct rf_gpu_op *op;
    size_t n_ops;
    uint8_t *is_covered; /* per op: by a range of its whole process */
    struct rf_covered_calls calls;
    bool folds_numbers;
    struct rf_folded_names folded; /* where it does */
};

/* What sums[] of a group hold: ranges, kernels, and where the group's ranges end at the latest:
 * those before the current one, and all. */
enum sum { RANGES = RF_SUM_RANGES, KERNELS = RF_SUM_KERNELS, LAST_END_BEFORE, LAST_END };

/* A time as a number that grows with it; 0 is none. */
static uint64_t as_sum(int64_t ns)
{
    return (uint64_t)ns ^ (uint64_t)1 << 63;
}

/* Ranges come one by one, by their start: a kernel was counted before, if an earlier one of the
 * group ends after its call. */
static void count_kernel(struct rf_group *group, const struct rf_event *event, uint32_t range,
                         int64_t call_end_ns)
{
    if (group->last != range) {
        group->sums[RANGES]++;
        group->sums[LAST_END_BEFORE] = group->sums[LAST_END];
        if (as_sum(event->end_ns) > group->sums[LAST_END])
            group->sums[LAST_END] = as_sum(event->end_ns);
        group->last = range;
    }
    group->sums[KERNELS] += as_sum(call_end_ns) > group->sums[LAST_END_BEFORE];
}

/* The key of a kernel under a range, or under none. false: out of memory. */
static bool find_key(struct summary *sum, const struct rf_gpu_op *op, uint32_t thread,
                     const struct rf_event *event, bool by_process, uint32_t key[RF_GROUP_KEYS])
{
    const uint32_t style = event != NULL ? event->kind : NO_STYLE;
    key[THREAD] = thread;
    key[DOMAIN] = event != NULL ? event->domain : RF_NO_INDEX;
    key[NAME] = event != NULL ? event->name : RF_NO_STRING;
    key[STYLE] = by_process ? style | RF_STYLE_BY_PROCESS : style;
    return rf_kernel_names_find(sum->names, op, &key[KERNEL]) &&
           (!sum->folds_numbers || rf_folded_names_find(&sum->folded, key[NAME], &key[NAME]));
}

/* range: 1 + the index of the event, or 0 for none. */
static bool add_kernel(struct summary *sum, const struct rf_gpu_op *op, uint32_t thread,
                       const struct rf_event *event, uint32_t range, int64_t call_end_ns,
                       bool by_process)
{
    uint32_t key[RF_GROUP_KEYS];
    if (!find_key(sum, op, thread, event, by_process, key))
        return false;
    struct rf_group *group =
        rf_group_by_add(&sum->groups, key, (uint64_t)op->end_ns - (uint64_t)op->start_ns);
    if (group == NULL)
        return false;
    if (range != 0)
        count_kernel(group, event, range, call_end_ns);
    else
        group->sums[KERNELS]++;
    return true;
}

/* Whether there are more than max_pairs; 0: more than it takes time to count them. */
static bool has_many_pairs(const struct summary *sum, uint64_t max_pairs)
{
    size_t n;
    uint64_t n_pairs = 0;
    if (max_pairs == 0)
        max_pairs = OF_PIECE * (uint64_t)sum->n_ops > MAX_PAIRS ? OF_PIECE * (uint64_t)sum->n_ops
                                                                : MAX_PAIRS;
    const struct rf_projection *projection = rf_projections_all(sum->projections, &n);
    for (size_t i = 0; i < n && n_pairs <= max_pairs; i++) {
        size_t first, end;
        const struct rf_call_list *list =
            rf_covered_calls_of(&sum->calls, sum->rec, &projection[i]);
        rf_call_list_find(list, rf_range_of(sum->rec, &projection[i]), &first, &end);
        n_pairs += list->n_before[end] - list->n_before[first];
    }
    return n_pairs > max_pairs;
}

/* The kernels of the calls that a range covers. */
static bool add_range(struct summary *sum, const struct rf_projection *projection)
{
    size_t c, end;
    const struct rf_event *range = rf_range_of(sum->rec, projection);
    const struct rf_call_list *list = rf_covered_calls_of(&sum->calls, sum->rec, projection);
    for (rf_call_list_find(list, range, &c, &end); c < end; c++) {
        const struct rf_call *call = rf_call_list_at(list, c);
        if (call->end_ns > range->end_ns)
            continue;
        for (uint32_t i = call->first_op; i < sum->n_ops; i = sum->op[i].next_op) {
            if (sum->op[i].kind != RF_OP_KERNEL)
                continue;
            sum->is_covered[i] |= projection->by_process != 0;
            if (!add_kernel(sum, &sum->op[i], projection->thread, range, projection->event + 1,
                            call->end_ns, projection->by_process != 0))
                return false;
        }
    }
    return true;
}

/* All ranges and the kernels in each. */
static bool visit_pairs(struct summary *sum)
{
    size_t n;
    const struct rf_projection *projection = rf_projections_all(sum->projections, &n);
    for (size_t i = 0; i < n; i++) {
        if (!add_range(sum, &projection[i]))
            return false;
        if ((i + 1 == n || projection[i].thread != projection[i + 1].thread) &&
            !rf_group_by_measure(&sum->groups))
            return false;
    }
    return true;
}

/* The kernels under no range. */
static bool add_others(struct summary *sum)
{
    for (uint32_t i = 0; i < sum->n_ops; i++)
        if (sum->op[i].kind == RF_OP_KERNEL && !sum->is_covered[i] &&
            rf_projection_owner(sum->projections, i) == RF_NO_INDEX &&
            !add_kernel(sum, &sum->op[i], sum->op[i].thread, NULL, 0, 0, false))
            return false;
    return rf_group_by_measure(&sum->groups);
}

/* ---- Too many pairs ---- */

/* A range of a thread, and what those have in common that are alike. */
struct keyed_range {
    uint32_t domain, name, style;
    const struct rf_projection *projection;
};

static int compare_keys(const struct keyed_range *a, const struct keyed_range *b)
{
    if (a->domain != b->domain)
        return a->domain < b->domain ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->style < b->style ? -1 : a->style > b->style;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct keyed_range *a = left, *b = right;
    const int order = compare_keys(a, b);
    return order != 0 ? order : a->projection < b->projection ? -1 : a->projection > b->projection;
}

static struct rf_group *group_of(void *context, const struct rf_gpu_op *op,
                                 const struct rf_projection *projection)
{
    struct summary *sum = context;
    uint32_t key[RF_GROUP_KEYS];
    return find_key(sum, op, projection->thread, rf_range_of(sum->rec, projection),
                    projection->by_process != 0, key)
               ? rf_group_by_get(&sum->groups, key)
               : NULL;
}

/* The ranges of a thread, in keyed[] by key. range: room for n. estimates: only how many steps it
 * takes. */
static bool count_alike(struct rf_counted_kernels *k, const struct keyed_range *keyed, size_t n,
                        const struct rf_projection **range, bool estimates)
{
    bool is_done = true;
    for (size_t i = 0, end; i < n && is_done && !k->has_too_many_steps; i = end) {
        for (end = i; end < n && compare_keys(&keyed[i], &keyed[end]) == 0; end++)
            range[end - i] = keyed[end].projection;
        if (estimates)
            rf_estimate_kernels(k, range, end - i);
        else
            is_done = rf_count_kernels(k, range, end - i);
    }
    return is_done;
}

/* The n ranges of a thread. */
static bool count_thread(struct summary *sum, struct rf_counted_kernels *k,
                         const struct rf_projection *projection, size_t n, bool estimates)
{
    struct keyed_range *keyed = malloc(n * sizeof(*keyed));
    const struct rf_projection **range = malloc(n * sizeof(const struct rf_projection *));
    bool is_done = keyed != NULL && range != NULL;
    for (size_t i = 0; i < n && is_done; i++) {
        const struct rf_event *event = rf_range_of(sum->rec, &projection[i]);
        keyed[i] = (struct keyed_range){
            event->domain, event->name,
            event->kind | (projection[i].by_process ? RF_STYLE_BY_PROCESS : 0u), &projection[i]};
        if (sum->folds_numbers)
            is_done = rf_folded_names_find(&sum->folded, event->name, &keyed[i].name);
    }
    if (is_done) {
        qsort(keyed, n, sizeof(*keyed), compare_ranges);
        is_done = count_alike(k, keyed, n, range, estimates);
    }
    free(keyed);
    free((void *)range);
    return is_done;
}

static bool count_threads(struct summary *sum, struct rf_counted_kernels *k, bool estimates)
{
    size_t n;
    const struct rf_projection *projection = rf_projections_all(sum->projections, &n);
    bool is_done = true;
    for (size_t i = 0, end; i < n && is_done && !k->has_too_many_steps; i = end) {
        for (end = i + 1; end < n && projection[end].thread == projection[i].thread;)
            end++;
        is_done = count_thread(sum, k, &projection[i], end - i, estimates);
    }
    return is_done;
}

/* *is_too_much: even that would take too long. */
static bool count_pairs(struct summary *sum, uint64_t max_steps, bool *is_too_much)
{
    struct rf_counted_kernels k = {.rec = sum->rec,
                                   .calls = &sum->calls,
                                   .groups = &sum->groups,
                                   .is_covered = sum->is_covered,
                                   .max_steps = max_steps,
                                   .group_of = group_of,
                                   .context = sum};
    bool is_done = count_threads(sum, &k, true);
    k.n_steps = 0;
    is_done = is_done && count_threads(sum, &k, false);
    *is_too_much = k.has_too_many_steps;
    rf_counted_kernels_release(&k);
    return is_done;
}

/* The same of a recording that has sums alone. */
static bool collect_sums(struct summary *sum, const struct rf_projected_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_kernels; i++) {
        const struct rf_projected_kernel *from = &sums->kernel[i];
        const struct rf_projected_ranges *ranges = &sums->ranges[from->ranges];
        uint32_t key[RF_GROUP_KEYS] = {[THREAD] = ranges->thread,
                                       [DOMAIN] = ranges->domain,
                                       [NAME] = ranges->name,
                                       [STYLE] = ranges->kind};
        if (!rf_kernel_names_find_label(sum->names, from->label, &key[KERNEL]) ||
            !rf_group_by_add_counts(&sum->groups, key, &from->ns))
            return false;
        struct rf_group *group = rf_group_by_get(&sum->groups, key);
        group->sums[RANGES] = from->n_ranges;
        group->sums[KERNELS] = from->n_kernels;
    }
    return rf_group_by_measure(&sum->groups);
}

static bool set_range(struct rf_cell *row, const struct summary *sum, const struct rf_group *group)
{
    if (group->key[STYLE] == NO_STYLE) {
        rf_cell_set_word(&row[1], "None");
        return rf_cell_set_text(&row[0], "None", 4);
    }
    rf_cell_set_word(&row[1], rf_range_style(group->key[STYLE]));
    if (!rf_cell_set_range(&row[0], sum->rec, group->key[DOMAIN], group->key[NAME]))
        return false;
    if (sum->folds_numbers)
        rf_cell_fold_name(&row[0], sum->rec, group->key[NAME]);
    return true;
}

static bool add_row(struct rf_table *table, const struct summary *sum, const struct rf_group *group)
{
    const rf_recording *rec = sum->rec;
    const struct rf_durations *m = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !set_range(row, sum, group))
        return false;
    row[2].count = row[3].count = RF_NO_ID;
    if (group->key[THREAD] != RF_NO_INDEX) {
        const struct rf_thread *thread = rf_thread_at(rec, group->key[THREAD]);
        row[2].count = rf_process_at(rec, thread->process)->pid;
        row[3].count = thread->tid;
    }
    row[4].count = group->sums[RANGES];
    row[5].count = group->sums[KERNELS];
    row[6].count = m->total_ns;
    rf_cells_set_durations(&row[7], m);
    rf_row_set_quantiles(table, row, 0, group);
    rf_kernel_names_set(sum->names, &row[12], group->key[KERNEL]);
    return true;
}

static int add_rows(struct rf_table *table, struct summary *sum, struct rf_err *err)
{
    bool is_done = rf_covered_calls_init(&sum->calls, sum->rec, table->by_process) == RF_OK;
    bool is_too_much = false;
    if (is_done)
        sum->is_covered = calloc(sum->n_ops + 1, sizeof(*sum->is_covered));
    if (sum->folds_numbers)
        rf_folded_names_init(&sum->folded, sum->rec);
    is_done = is_done && sum->is_covered != NULL;
    if (is_done && !has_many_pairs(sum, table->max_pairs))
        is_done = visit_pairs(sum);
    else if (is_done)
        is_done =
            count_pairs(sum, table->max_steps > 0 ? table->max_steps : MAX_STEPS, &is_too_much);
    if (is_too_much)
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "cannot compute nvtx_kern_sum of '%s': its kernels lie under too many "
                       "ranges at once; choose some with --filter-name or --filter-time",
                       rf_get_info(sum->rec)->path);
    is_done = is_done && add_others(sum);
    for (size_t i = 0; i < sum->groups.n && is_done; i++)
        is_done = add_row(table, sum, &sum->groups.group[i]);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

static int sum_sums(struct summary *sum, struct rf_table *table, struct rf_err *err)
{
    const struct rf_projected_sums *sums = rf_recording_projected_sums(sum->rec);
    int status = rf_range_sums_begin(table, sums, &sums->kernels, err);
    if (status != RF_OK)
        return status;
    bool is_done = collect_sums(sum, sums);
    for (size_t i = 0; i < sum->groups.n && is_done; i++)
        is_done = add_row(table, sum, &sum->groups.group[i]);
    rf_table_sort_by_total(table, 6);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Fills the groups of a recording that has its ranges and its work, and a table of them. */
static int find_groups(struct summary *sum, struct rf_table *table, struct rf_err *err)
{
    const struct rf_project_options options = {
        .size = sizeof(options), .kernels_only = 1, .by_process = table->by_process};
    int status = rf_project(sum->rec, &options, &sum->projections, err);
    return status == RF_OK ? add_rows(table, sum, err) : status;
}

static void release(struct summary *sum)
{
    rf_group_by_release(&sum->groups);
    rf_projections_free(sum->projections);
    if (sum->folded.rec != NULL)
        rf_folded_names_release(&sum->folded);
    free(sum->is_covered);
    rf_covered_calls_release(&sum->calls);
}

static int sum_kernels(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec,
                          .groups = {.quantiles = &table->quantiles},
                          .folds_numbers = table->fold_numbers > 0};
    (void)report;
    sum.op = rf_gpu_ops(rec, &sum.n_ops);
    int status = rf_kernel_names_begin_sums(rec, table, &sum.names, err);
    if (status == RF_OK && rf_recording_projected_sums(rec) != NULL) {
        status = sum_sums(&sum, table, err);
        rf_group_by_release(&sum.groups);
        return status;
    }
    if (status == RF_OK)
        status = find_groups(&sum, table, err);
    if (status == RF_OK) {
        rf_table_sort_by_total(table, 6);
        rf_add_coverage_notes(rec, sum.projections, table);
    }
    release(&sum);
    return status;
}

/* ---- Of summaries: the detail of a tally is the kernel ---- */

enum { TALLY_RANGES, TALLY_KERNELS };

/* They are the summary's when all is well. */
struct taking {
    struct rf_collecting *c;
    const struct summary *sum;
    struct rf_tallies tallies;
};

/* The key of kernels under ranges of a thread, or under none, without that of the kernel. */
static struct rf_tally_key key_of_ranges(struct rf_collecting *c, uint32_t of_thread,
                                         uint32_t domain, uint32_t name, uint32_t style)
{
    const struct rf_thread *thread = rf_thread_at(c->rec, of_thread);
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    key.kind = RF_TALLY_RANGE_KERNEL;
    if (thread != NULL) {
        key.pid = rf_process_at(c->rec, thread->process)->pid;
        key.tid = thread->tid;
    }
    if (style == NO_STYLE)
        return key;
    key.domain = rf_collect_domain(c, domain);
    key.name = rf_collect_range_name(c, name);
    key.style =
        rf_collect_text(c, rf_summary_kind_name(style == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP
                                                                           : RF_SUMMARY_START_END));
    return key;
}

/* As reports call it: "(null)" without a name. */
static void set_kernel(struct rf_collecting *c, struct rf_tally_key *key, const char *name,
                       size_t size)
{
    static const char none[] = "(null)";
    key->detail = name != NULL ? rf_strings_add(&c->summary->strings, name, size)
                               : rf_strings_add(&c->summary->strings, none, sizeof(none) - 1);
    if (key->detail == RF_NO_STRING)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
}

static struct rf_tally_key tally_key(struct rf_collecting *c, const struct summary *sum,
                                     const struct rf_group *group)
{
    const uint32_t *of = group->key;
    struct rf_tally_key key = key_of_ranges(c, of[THREAD], of[DOMAIN], of[NAME], of[STYLE]);
    struct rf_cell kernel;
    rf_kernel_names_set(sum->names, &kernel, of[KERNEL]);
    set_kernel(c, &key, kernel.text, kernel.size);
    return key;
}

static void add_times(struct rf_collecting *c, struct rf_tally *tally, uint64_t value, uint64_t n)
{
    (void)rf_collect_fail(c, rf_summary_row_add_times(&tally->values, value, n));
}

static void take(void *context, const struct rf_group *group)
{
    struct taking *to = context;
    const struct rf_value_counts *counts = &group->counts;
    const struct rf_tally_key key = tally_key(to->c, to->sum, group);
    struct rf_tally *tally = rf_tally_of(&to->tallies, &key);
    if (tally == NULL)
        (void)rf_collect_fail(to->c, RF_ERR_NO_MEMORY);
    for (size_t i = 0; group->values != NULL && i < group->n && to->c->status == RF_OK; i++)
        add_times(to->c, tally, group->values[i], 1);
    for (size_t i = 0; i < counts->room && to->c->status == RF_OK; i++)
        if (counts->place[i].n > 0)
            add_times(to->c, tally, counts->place[i].value, counts->place[i].n);
}

/* All was taken. It is moved: there can be many, each with many buckets. */
static void keep_taken(struct taking *taking)
{
    struct rf_collecting *c = taking->c;
    const struct rf_group_by *groups = &taking->sum->groups;
    for (size_t i = 0; i < taking->tallies.n && c->status == RF_OK; i++) {
        struct rf_tally *from = &taking->tallies.item[i];
        struct rf_tally *tally = rf_tally_of(&c->summary->tallies, &from->key);
        if (tally == NULL) {
            (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
            return;
        }
        tally->values = from->values;
        from->values.histogram = (struct rf_histogram){.n = 0};
    }
    for (size_t i = 0; i < groups->n && c->status == RF_OK; i++) {
        const struct rf_tally_key key = tally_key(c, taking->sum, &groups->group[i]);
        rf_collect_tally_sum(c, &key, TALLY_RANGES, groups->group[i].sums[RANGES]);
        rf_collect_tally_sum(c, &key, TALLY_KERNELS, groups->group[i].sums[KERNELS]);
    }
    rf_collect_searched(c, RF_TALLY_RANGE_KERNEL);
}

/* Of a recording that has sums alone. */
static void collect_projected(struct rf_collecting *c, const struct rf_projected_sums *sums)
{
    size_t size;
    for (uint32_t i = 0; i < sums->n_kernels && c->status == RF_OK; i++) {
        const struct rf_projected_kernel *from = &sums->kernel[i];
        const struct rf_projected_ranges *ranges = &sums->ranges[from->ranges];
        const char *label = rf_string(c->rec, from->label, &size);
        struct rf_tally_key key =
            key_of_ranges(c, ranges->thread, ranges->domain, ranges->name, ranges->kind);
        set_kernel(c, &key, label, size);
        rf_collect_tally_counts(c, &key, &from->ns);
        rf_collect_tally_sum(c, &key, TALLY_RANGES, from->n_ranges);
        rf_collect_tally_sum(c, &key, TALLY_KERNELS, from->n_kernels);
    }
    rf_collect_searched(c, RF_TALLY_RANGE_KERNEL);
    rf_collect_coverage(c, RF_TALLY_KERNEL_COVERAGE, &sums->kernels);
}

/* Where kernels lie under too many ranges at once they are not summed up. */
static void collect(const struct rf_report *report, struct rf_collecting *c)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    struct summary sum = {.rec = c->rec}; /* numbers are folded in what comes out */
    struct taking taking = {.c = c, .sum = &sum};
    struct rf_table table = {.n_rows = 0};
    int status = RF_OK;
    const struct rf_projected_sums *sums = rf_recording_projected_sums(c->rec);
    if (sums != NULL && !sums->has_no_kernels)
        collect_projected(c, sums);
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* ... or they were not added up by range */
    rf_table_init(&table, report->title, report->columns, report->n_columns);
    sum.groups.take = take;
    sum.groups.context = &taking;
    sum.op = rf_gpu_ops(c->rec, &sum.n_ops);
    if (sum.n_ops > 0)
        status = rf_kernel_names_begin_sums(c->rec, &table, &sum.names, NULL);
    if (sum.n_ops > 0 && status == RF_OK)
        status = find_groups(&sum, &table, NULL);
    if (sum.projections != NULL)
        (void)rf_projection_coverage(sum.projections, &coverage);
    rf_projections_free(sum.projections);
    sum.projections = NULL;
    if (status == RF_OK)
        keep_taken(&taking);
    else if (status != RF_ERR_UNSUPPORTED)
        (void)rf_collect_fail(c, status);
    if (status == RF_OK)
        rf_collect_coverage(c, RF_TALLY_KERNEL_COVERAGE, &coverage);
    rf_summary_tallies_release(&taking.tallies);
    release(&sum);
    rf_table_release(&table);
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_durations measured = rf_summary_measure(&tally->values);
    const char *style = rf_summary_style(rows->summary, tally->key.style);
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL || !rf_cell_set_text(&row[1], style, strlen(style)))
        return false;
    row[2].count = rf_tally_id(tally->key.pid);
    row[3].count = rf_tally_id(tally->key.tid);
    row[4].count = tally->sum[TALLY_RANGES];
    row[5].count = tally->sum[TALLY_KERNELS];
    row[6].count = measured.total_ns;
    rf_cells_set_durations(&row[7], &measured);
    rf_row_set_summary_quantiles(rows->table, row, 0, &tally->values);
    const bool is_named = tally->key.style == RF_NO_STRING && tally->key.name == RF_NO_STRING
                              ? rf_cell_set_text(&row[0], "None", 4)
                              : rf_cell_set_tally_name(&row[0], rows->summary, &tally->key);
    return is_named && rf_cell_set_tally_detail(&row[12], rows->summary, &tally->key);
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_RANGE_KERNEL, table, 6, add_tally);
    if (status != RF_OK)
        return status;
    rf_add_summary_coverage_notes(table, summary, input, RF_TALLY_KERNEL_COVERAGE);
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_RANGE_KERNEL);
    return RF_OK;
}

const struct rf_report rf_report_nvtx_kern_sum = {
    .name = "nvtx_kern_sum",
    .description = "the GPU kernels under each NVTX range, by thread, range and kernel",
    .is_default = true,
    .needs = RF_NEEDS_RANGES | RF_NEEDS_GPU_WORK,
    .title = "NVTX Range Kernel Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .is_of_range_work = true,
    .can = RF_CAN_NAME_KERNELS,
    .compute = sum_kernels,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_RANGE_KERNEL,
    .collect = collect,
};
