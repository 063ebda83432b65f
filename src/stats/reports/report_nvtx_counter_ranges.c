/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_counter_ranges: the mean of NVTX's counters in ranges of their process, or of their
 * thread if that is their scope, by domain, message and style of the ranges. */
#include <stdlib.h>

#include "base/grow.h"
#include "model/same_domains.h"
#include "stats/column_meanings.h"
#include "stats/group_by.h"
#include "stats/counter_means.h"
#include "stats/range_labels.h"
#include "stats/report.h"

static const struct rf_column columns[] = {
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    {"Counter", RF_COLUMN_TEXT, RF_MEANS_COUNTER},
    {"Unit", RF_COLUMN_WORD, RF_MEANS_COUNTER_UNIT},
    {"Mean", RF_COLUMN_VALUE,
     "mean of the counter in these ranges, weighed as nvtx_counter_sum does"},
    {"Samples", RF_COLUMN_COUNT, "number of samples that lie in these ranges"},
    {"Range Instances", RF_COLUMN_COUNT, "number of ranges in which the counter had a value"},
};

enum key { DOMAIN, NAME, STYLE, COUNTER_DOMAIN, COUNTER_NAME };
enum sum { SAMPLES };

struct job {
    const rf_recording *rec;
    const uint32_t *same_domain;
    struct rf_group_by groups;
    struct rf_weighed *mean; /* per group */
    uint32_t *counter;       /* per group: one that has its unit */
    size_t mean_room, counter_room, n;
};

static struct rf_group *find_group(struct job *job, const struct rf_event *range, uint32_t counter)
{
    const struct rf_counter *of = rf_counter_at(job->rec, counter);
    const uint32_t key[RF_GROUP_KEYS] = {[DOMAIN] = job->same_domain[range->domain],
                                         [NAME] = range->name,
                                         [STYLE] = range->kind,
                                         [COUNTER_DOMAIN] = job->same_domain[of->nvtx->domain],
                                         [COUNTER_NAME] = of->name};
    struct rf_group *group = rf_group_by_get(&job->groups, key);
    if (group == NULL || job->groups.n == job->n)
        return group;
    if (rf_grow_array(&job->mean, job->n, &job->mean_room, sizeof(*job->mean)) != RF_OK ||
        rf_grow_array(&job->counter, job->n, &job->counter_room, sizeof(*job->counter)) != RF_OK)
        return NULL;
    job->mean[job->n] = (struct rf_weighed){0, 0};
    job->counter[job->n++] = counter;
    return group;
}

static bool add_range(struct job *job, const struct rf_counter_integral *integral,
                      const struct rf_event *range, uint32_t counter)
{
    const struct rf_weighed in = rf_counter_between(integral, range->start_ns, range->end_ns);
    if (in.weight <= 0)
        return true;
    struct rf_group *group = find_group(job, range, counter);
    if (group == NULL)
        return false;
    struct rf_weighed *mean = &job->mean[group - job->groups.group];
    mean->sum += in.sum;
    mean->weight += in.weight;
    group->n++;
    group->sums[SAMPLES] += rf_counter_find(integral->counter, range->end_ns, true) -
                            rf_counter_find(integral->counter, range->start_ns, false);
    return true;
}

static bool add_thread(struct job *job, const struct rf_counter_integral *integral, uint32_t thread,
                       uint32_t counter)
{
    size_t n;
    bool is_done = true;
    const struct rf_event *event = rf_thread_events(job->rec, thread, &n);
    for (size_t i = 0; i < n && is_done; i++)
        if (event[i].kind == RF_EVENT_PUSH_POP || event[i].kind == RF_EVENT_START_END)
            is_done = add_range(job, integral, &event[i], counter);
    return is_done;
}

static bool add_counter(struct job *job, uint32_t index)
{
    const struct rf_counter *counter = rf_counter_at(job->rec, index);
    struct rf_counter_integral integral;
    bool is_done = rf_counter_integrate(&integral, job->rec, counter) == RF_OK;
    for (uint32_t t = 0; t < rf_n_threads(job->rec) && is_done; t++)
        if (rf_thread_at(job->rec, t)->process == counter->process &&
            (counter->nvtx->thread == RF_NO_INDEX || counter->nvtx->thread == t))
            is_done = add_thread(job, &integral, t, index);
    rf_counter_integral_release(&integral);
    return is_done;
}

static bool add_row(struct rf_table *table, const struct job *job, size_t i)
{
    const rf_recording *rec = job->rec;
    const struct rf_group *group = &job->groups.group[i];
    const struct rf_nvtx_counter *nvtx = rf_counter_at(rec, job->counter[i])->nvtx;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !rf_cell_set_range(&row[0], rec, group->key[DOMAIN], group->key[NAME]) ||
        !rf_cell_set_range(&row[2], rec, group->key[COUNTER_DOMAIN], group->key[COUNTER_NAME]))
        return false;
    rf_cell_set_word(&row[1], rf_range_style(group->key[STYLE]));
    rf_cell_set_word(&row[3], "");
    if (nvtx->unit != RF_NO_STRING)
        rf_cell_set_model_string(&row[3], rec, nvtx->unit);
    row[4].real = job->mean[i].sum / job->mean[i].weight;
    row[5].count = group->sums[SAMPLES];
    row[6].count = group->n;
    return true;
}

static int sum_ranges(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {0, 1, 2, ~5};
    uint32_t *same_domain = rf_same_domains(rec);
    struct job job = {.rec = rec, .same_domain = same_domain};
    bool is_done = same_domain != NULL;
    (void)report;
    (void)err;
    for (uint32_t i = 0; i < rf_n_counters(rec) && is_done; i++)
        if (rf_is_nvtx_counter(rf_counter_at(rec, i)))
            is_done = add_counter(&job, i);
    for (size_t i = 0; i < job.groups.n && is_done; i++)
        is_done = add_row(table, &job, i);
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    if (is_done && table->n_rows == 0)
        rf_table_add_note(table, "no counter of NVTX had a value in a range of its process");
    rf_group_by_release(&job.groups);
    free(job.mean);
    free(job.counter);
    free(same_domain);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

const struct rf_report rf_report_nvtx_counter_ranges = {
    .name = "nvtx_counter_ranges",
    .description = "the mean of each counter of NVTX in the ranges of its process",
    .needs = RF_NEEDS_RANGES | RF_NEEDS_NVTX_COUNTERS,
    .not_summed = "its means weigh values by time; 'nvtx_counter_sum' has the counters",
    .title = "NVTX Counters in Ranges",
    RF_REPORT_COLUMNS(columns),
    .compute = sum_ranges,
};
