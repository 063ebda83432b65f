/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_gpu_metrics_sum: the sampled counters of a GPU while it did the work of ranges, by
 * domain, message and style as in nvtx_gpu_proj_sum.
 *
 * A range's stretch on a GPU is from the first to the last piece of its work there. Each piece is
 * given to the innermost range over its call, and the stretches of ranges to those around them, the
 * innermost first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/same_domains.h"
#include "stats/column_meanings.h"
#include "stats/gpu_counters.h"
#include "stats/group_by.h"
#include "stats/range_labels.h"
#include "model/private_access.h"
#include "model/projection/range_tree.h"
#include "stats/report.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

static const struct rf_column columns[] = {
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    {"Metric", RF_COLUMN_WORD, RF_MEANS_METRIC},
    {"Avg", RF_COLUMN_REAL,
     "mean of the metric while the GPU did the work of these ranges, weighed by time"},
    {"GPU Time (ns)", RF_COLUMN_COUNT,
     "sum of the times from the first to the last piece of the work of each range on this GPU"},
    {"Range Instances", RF_COLUMN_COUNT,
     "number of ranges during whose work the metric was sampled"},
};

enum key { DOMAIN, NAME, STYLE, GPU };
enum sum { GPU_NS };

/* On one GPU, of one range. */
struct stretch {
    int64_t start_ns, end_ns;
    uint32_t gpu;
    uint32_t next;  /* of the same range: index, or RF_NO_INDEX */
    uint32_t group; /* index */
};

struct job {
    const struct rf_range_tree *tree;
    struct stretch *stretch;
    uint32_t n;
    size_t room;
    uint32_t *first; /* per projection: its stretches */
    struct rf_group_by groups;
    struct rf_counter_sums sums; /* of the counter at hand */
    double *value_ns, *time_ns;  /* its, per group */
    struct rf_table *table;
    struct rf_collecting *c; /* of a summary, in place of a table; NULL */
};

/* ---- Stretches ---- */

static bool widen(struct job *job, uint32_t node, uint32_t gpu, int64_t start_ns, int64_t end_ns)
{
    uint32_t i = job->first[node];
    while (i != RF_NO_INDEX && job->stretch[i].gpu != gpu)
        i = job->stretch[i].next;
    if (i != RF_NO_INDEX) {
        struct stretch *at = &job->stretch[i];
        at->start_ns = start_ns < at->start_ns ? start_ns : at->start_ns;
        at->end_ns = end_ns > at->end_ns ? end_ns : at->end_ns;
        return true;
    }
    if (rf_grow_array(&job->stretch, job->n, &job->room, sizeof(*job->stretch)) != RF_OK)
        return false;
    job->stretch[job->n] = (struct stretch){start_ns, end_ns, gpu, job->first[node], 0};
    job->first[node] = job->n++;
    return true;
}

static bool is_sampled(const rf_recording *rec, uint32_t gpu)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)) && rf_counter_at(rec, i)->device == gpu)
            return true;
    return false;
}

/* The work of one track. */
static bool add_track(struct job *job, const struct rf_gpu_track *track)
{
    const rf_recording *rec = job->tree->rec;
    const struct rf_gpu *gpu = rf_gpu_of(rec, track->process, track->device);
    const uint32_t id = gpu != NULL ? gpu->id : track->device;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    bool is_done = true;
    if (!is_sampled(rec, id))
        return true;
    for (uint32_t i = track->first_op; i < track->first_op + track->n_ops && is_done; i++) {
        uint32_t owner = op[i].kind != RF_OP_SYNC && op[i].thread != RF_NO_INDEX
                             ? rf_projection_owner(job->tree->projections, i)
                             : RF_NO_INDEX;
        uint32_t node =
            owner != RF_NO_INDEX ? rf_range_tree_find(job->tree, op[i].thread, owner) : RF_NO_INDEX;
        if (node != RF_NO_INDEX)
            is_done = widen(job, node, id, op[i].start_ns, op[i].end_ns);
    }
    return is_done;
}

/* The projections, those that are deepest inside others first. Returns NULL when out of memory. */
static uint32_t *deepest_first(const struct rf_range_tree *tree)
{
    uint32_t *order = malloc((tree->n + 1) * sizeof(*order)), deepest = 0;
    for (size_t i = 0; i < tree->n; i++)
        deepest = tree->node[i].level > deepest ? tree->node[i].level : deepest;
    size_t *place = calloc((size_t)deepest + 2, sizeof(*place));
    if (order == NULL || place == NULL) {
        free(order);
        free(place);
        return NULL;
    }
    for (size_t i = 0; i < tree->n; i++)
        place[deepest - tree->node[i].level + 1]++;
    for (uint32_t level = 0; level <= deepest; level++)
        place[level + 1] += place[level];
    for (size_t i = 0; i < tree->n; i++)
        order[place[deepest - tree->node[i].level]++] = (uint32_t)i;
    free(place);
    return order;
}

static bool widen_parents(struct job *job)
{
    uint32_t *order = deepest_first(job->tree);
    bool is_done = order != NULL;
    for (size_t i = 0; i < job->tree->n && is_done; i++) {
        uint32_t parent = job->tree->node[order[i]].parent;
        if (parent == RF_NO_INDEX)
            continue;
        for (uint32_t k = job->first[order[i]]; k != RF_NO_INDEX && is_done;) {
            const struct stretch at = job->stretch[k];
            is_done = widen(job, parent, at.gpu, at.start_ns, at.end_ns);
            k = at.next;
        }
    }
    free(order);
    return is_done;
}

static bool find_stretches(struct job *job)
{
    const rf_recording *rec = job->tree->rec;
    bool is_done = true;
    job->first = malloc((job->tree->n + 1) * sizeof(*job->first));
    if (job->first == NULL)
        return false;
    for (size_t i = 0; i < job->tree->n; i++)
        job->first[i] = RF_NO_INDEX;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec) && is_done; i++)
        is_done = add_track(job, rf_gpu_track_at(rec, i));
    return is_done && widen_parents(job);
}

/* ---- Groups ---- */

static bool collect(struct job *job, const uint32_t *same_domain)
{
    const struct rf_range_tree *tree = job->tree;
    for (size_t i = 0; i < tree->n; i++) {
        const struct rf_event *range = rf_range_of(tree->rec, &tree->projection[i]);
        for (uint32_t k = job->first[i]; k != RF_NO_INDEX; k = job->stretch[k].next) {
            struct stretch *at = &job->stretch[k];
            const uint32_t key[RF_GROUP_KEYS] = {[DOMAIN] = same_domain[range->domain],
                                                 [NAME] = range->name,
                                                 [STYLE] = range->kind,
                                                 [GPU] = at->gpu};
            struct rf_group *group = rf_group_by_get(&job->groups, key);
            if (group == NULL)
                return false;
            group->n++;
            group->sums[GPU_NS] += (uint64_t)at->end_ns - (uint64_t)at->start_ns;
            at->group = (uint32_t)(group - job->groups.group);
        }
    }
    return true;
}

static bool add_row(const struct job *job, size_t i, uint32_t metric)
{
    const rf_recording *rec = job->tree->rec;
    const struct rf_group *group = &job->groups.group[i];
    struct rf_cell *row = rf_table_add_row(job->table);
    if (row == NULL || !rf_cell_set_range(&row[0], rec, group->key[DOMAIN], group->key[NAME]))
        return false;
    rf_cell_set_word(&row[1], rf_range_style(group->key[STYLE]));
    row[2].count = group->key[GPU];
    rf_cell_set_model_string(&row[3], rec, metric);
    row[4].real = job->value_ns[i] / job->time_ns[i];
    row[5].count = group->sums[GPU_NS];
    row[6].count = group->n;
    return true;
}

/* ---- Tallies of a summary ---- */

/* A mean is value times time, in parts of this size, by time. Two sums hold it: each value below
 * MOST_PARTS is split at 2^32, so that many can be added. */
#define PARTS      256
#define MOST_PARTS 0x1p92

enum metric_sum { PARTS_HIGH, PARTS_LOW, TIME_NS, NOT_ADDED };

static struct rf_tally_key tally_key(const struct job *job, const struct rf_group *group)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    const uint32_t kind =
        group->key[STYLE] == RF_EVENT_START_END ? RF_SUMMARY_START_END : RF_SUMMARY_PUSH_POP;
    key.kind = RF_TALLY_RANGE_SAMPLED;
    key.domain = rf_collect_domain(job->c, group->key[DOMAIN]);
    key.name = rf_collect_range_name(job->c, group->key[NAME]);
    key.style = rf_collect_text(job->c, rf_summary_kind_name(kind));
    key.device = group->key[GPU];
    return key;
}

static bool collect_stretches(const struct job *job)
{
    for (uint32_t i = 0; i < job->n && job->c->status == RF_OK; i++) {
        const struct stretch *at = &job->stretch[i];
        const struct rf_tally_key key = tally_key(job, &job->groups.group[at->group]);
        rf_collect_tally(job->c, &key, (uint64_t)at->end_ns - (uint64_t)at->start_ns);
    }
    return job->c->status == RF_OK;
}

static bool collect_metric(const struct job *job, size_t i, uint32_t metric)
{
    struct rf_tally_key key = tally_key(job, &job->groups.group[i]);
    const double parts = job->value_ns[i] * PARTS;
    key.kind = RF_TALLY_RANGE_METRIC;
    key.detail = rf_collect_string(job->c, metric);
    if (parts >= 0 && parts < MOST_PARTS && job->time_ns[i] < 0x1p62) {
        const unsigned __int128 whole = (unsigned __int128)(parts + 0.5);
        rf_collect_tally_sum(job->c, &key, PARTS_HIGH, (uint64_t)(whole >> 32));
        rf_collect_tally_sum(job->c, &key, PARTS_LOW, (uint64_t)whole & UINT32_MAX);
        rf_collect_tally_sum(job->c, &key, TIME_NS, (uint64_t)job->time_ns[i]);
    } else {
        rf_collect_tally_sum(job->c, &key, NOT_ADDED, 1);
    }
    return job->c->status == RF_OK;
}

/* ---- Counters ---- */

/* The rows, or tallies, of one counter. A group without samples has none. */
static bool add_counter(struct job *job, const struct rf_counter *counter)
{
    struct rf_counter_sums *sums = &job->sums;
    bool is_done = rf_counter_sums_of(sums, job->tree->rec, counter) == RF_OK;
    memset(job->value_ns, 0, job->groups.n * sizeof(*job->value_ns));
    memset(job->time_ns, 0, job->groups.n * sizeof(*job->time_ns));
    for (uint32_t i = 0; i < job->n && is_done; i++) {
        const struct stretch *at = &job->stretch[i];
        if (at->gpu == counter->device)
            rf_counter_sums_add(sums, at->start_ns, at->end_ns, &job->value_ns[at->group],
                                &job->time_ns[at->group]);
    }
    for (size_t i = 0; i < job->groups.n && is_done; i++)
        if (isfinite(job->value_ns[i] / job->time_ns[i]))
            is_done = job->c != NULL ? collect_metric(job, i, counter->name)
                                     : add_row(job, i, counter->name);
    return is_done;
}

static bool add_counters(struct job *job)
{
    const rf_recording *rec = job->tree->rec;
    uint32_t *same_domain = rf_same_domains(rec);
    bool is_done = same_domain != NULL && find_stretches(job) && collect(job, same_domain);
    job->value_ns = calloc(job->groups.n + 1, sizeof(*job->value_ns));
    job->time_ns = calloc(job->groups.n + 1, sizeof(*job->time_ns));
    is_done &= job->value_ns != NULL && job->time_ns != NULL;
    if (is_done && job->c != NULL)
        is_done = collect_stretches(job);
    for (uint32_t i = 0; i < rf_n_counters(rec) && is_done; i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            is_done = add_counter(job, rf_counter_at(rec, i));
    rf_counter_sums_release(&job->sums);
    free(job->value_ns);
    free(job->time_ns);
    free(same_domain);
    return is_done;
}

static void release(struct job *job)
{
    rf_group_by_release(&job->groups);
    free(job->stretch);
    free(job->first);
}

static int sum_ranges(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    struct rf_range_tree tree;
    struct job job = {.tree = &tree, .table = table};
    (void)report;
    int status = rf_range_tree_init(&tree, rec, false, err);
    if (status == RF_OK && !add_counters(&job))
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        rf_table_sort_by_total(table, 5);
    if (status == RF_OK && table->n_rows == 0)
        rf_table_add_note(table, "no GPU was sampled while it did the work of a range");
    release(&job);
    rf_range_tree_release(&tree);
    return status;
}

/* ---- Of summaries ---- */

static bool has_metrics(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            return true;
    return false;
}

/* Whether the samples of GPU metrics are in memory, if there are any. */
static bool knows_samples(const rf_recording *rec)
{
    bool is_sampled = false;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        is_sampled |= counter->device != RF_NO_INDEX && !counter->is_derived;
    }
    return !is_sampled || rf_get_info(rec)->n_samples == 0 || has_metrics(rec);
}

static void collect_tallies(const struct rf_report *report, struct rf_collecting *c)
{
    struct rf_range_tree tree;
    struct job job = {.tree = &tree, .c = c};
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL || !knows_samples(c->rec))
        return; /* it is not known what was when */
    rf_collect_searched(c, RF_TALLY_RANGE_SAMPLED);
    rf_collect_searched(c, RF_TALLY_RANGE_METRIC);
    if (!has_metrics(c->rec) || c->status != RF_OK)
        return;
    /* those of c are gone: few recordings have metrics, and with them projections cost little */
    (void)rf_collect_fail(c, rf_range_tree_init(&tree, c->rec, false, c->err));
    if (c->status == RF_OK && !add_counters(&job))
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    release(&job);
    rf_range_tree_release(&tree);
}

static bool add_tally(struct rf_table *table, const rf_summary *summary,
                      const struct rf_tally *tally)
{
    struct rf_tally_key key = tally->key;
    key.kind = RF_TALLY_RANGE_SAMPLED;
    key.detail = RF_NO_STRING;
    const struct rf_tally *ranges = rf_tally_find(&summary->tallies, &key);
    const char *style = rf_summary_style(summary, key.style);
    const double parts = (double)tally->sum[PARTS_HIGH] * 0x1p32 + (double)tally->sum[PARTS_LOW];
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !rf_cell_set_tally_name(&row[0], summary, &key) ||
        !rf_cell_set_text(&row[1], style, strlen(style)) ||
        !rf_cell_set_tally_detail(&row[3], summary, &tally->key))
        return false;
    row[2].count = rf_tally_id(key.device);
    row[4].real =
        tally->sum[NOT_ADDED] == 0 ? parts / PARTS / (double)tally->sum[TIME_NS] : (double)NAN;
    row[5].count = ranges != NULL ? ranges->values.total : 0;
    row[6].count = ranges != NULL ? ranges->values.n : 0;
    return true;
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    const struct rf_tally *tally;
    (void)err;
    if (!rf_tally_rows_own_words(table, report))
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; (tally = rf_tally_next(summary, input, RF_TALLY_RANGE_METRIC, &i)) != NULL;)
        if (!add_tally(table, summary, tally))
            return RF_ERR_NO_MEMORY;
    rf_table_sort_by_total(table, 5);
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_RANGE_SAMPLED);
    return RF_OK;
}

const struct rf_report rf_report_nvtx_gpu_metrics_sum = {
    .name = "nvtx_gpu_metrics_sum",
    .description = "the mean of each GPU metric while a GPU did the work of NVTX ranges",
    .needs = RF_NEEDS_RANGES | RF_NEEDS_GPU_WORK | RF_NEEDS_SAMPLES,
    .title = "NVTX GPU Metrics Summary",
    RF_REPORT_COLUMNS(columns),
    .compute = sum_ranges,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_RANGE_SAMPLED,
    .collect = collect_tallies,
};
