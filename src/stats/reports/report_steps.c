/* SPDX-License-Identifier: Apache-2.0 */
/* steps: which step was slow, and which of its children made it so. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/column_meanings.h"
#include "stats/outliers.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/step_notes.h"
#include "stats/summary_cells.h"
#include "summary/steps.h"
#include "summary/steps_of_summary.h"

enum {
    STEP,
    START,
    DURATION,
    DEVIATION,
    SCORE,
    OUTLIER,
    CHILD,
    EXCESS,
    SELF,
    BUSY,
    WAIT,
    NAME,
    IS_CUT,
    PID,
    TID,
    N_COLUMNS
};

static const struct rf_column columns[] = {
    [STEP] = {"Step", RF_COLUMN_ID, "number of the step among those of its thread, from 1"},
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the step"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_SPAN, "duration of the step"},
    [DEVIATION] = {"Deviation (%)", RF_COLUMN_REAL,
                   "Duration less the median of the thread's steps, in percent of that median; "
                   "None: the median is 0"},
    [SCORE] = {"Score", RF_COLUMN_REAL,
               "modified z-score: 0.6745 times Deviation as a multiple of the median deviation "
               "(MAD) of the thread's steps; where that is 0, Deviation in units of 1.253314 times "
               "the mean one"},
    [OUTLIER] = {"Outlier", RF_COLUMN_WORD,
                 "slow: Score is above 3.5; warm-up: so are all steps before it; fast: below -3.5; "
                 "empty: none of these, or the step is cut"},
    [CHILD] = {"Child", RF_COLUMN_WORD,
               "domain:message of the ranges directly inside the step whose total exceeds their "
               "median the most; empty: none exceeds it"},
    [EXCESS] = {"Excess (ns)", RF_COLUMN_SPAN,
                "total of that child in this step less the median of its totals in all steps of "
                "the thread, where a step without it counts as 0"},
    [SELF] = {"Self (ns)", RF_COLUMN_SPAN,
              "time of the step that no push/pop range inside it covers; None: it overlaps too "
              "many other steps"},
    [BUSY] = {"GPU Busy (ns)", RF_COLUMN_SPAN,
              "sum of the durations of the GPU work that the step caused"},
    [WAIT] = {"Wait (ns)", RF_COLUMN_SPAN,
              "time in calls of CUDA that wait for a GPU: those that synchronize, and copies that "
              "block"},
    [NAME] = {"Name", RF_COLUMN_WORD, RF_MEANS_RANGE},
    [IS_CUT] =
        {"Cut", RF_COLUMN_WORD,
         "why the end of the step was not recorded: it counts up to where it was cut; capture "
         "began: what is inside it is recorded from there on; empty: all of it was "
         "recorded"},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
};

#define MAX_NOTED 8 /* threads of which more is said below the table */

/* What the steps are of. */
struct source {
    const rf_recording *rec;
    const rf_summary *summary; /* NULL: of rec */
    uint32_t input;            /* of the summary */
};

/* The steps of one thread, from `first` to before `end`, and what their children take. */
struct group {
    const struct source *source;
    const struct rf_steps *steps;
    const struct labels *labels;
    size_t first, end;
    struct rf_outliers outliers;
    uint64_t *duration_ns; /* of each step; while notes are made */
    uint64_t *typical;     /* per key: the median of its totals */
};

/* ---- Medians ---- */

/* The durations, which the caller frees, and which of them stand out. */
static uint64_t *find_outliers(struct group *group)
{
    const size_t n = group->end - group->first;
    uint64_t *values = malloc(n * sizeof(*values));
    for (size_t i = 0; i < n && values != NULL; i++)
        values[i] = group->steps->step[group->first + i].duration_ns;
    if (values != NULL && rf_outliers_find(&group->outliers, values, n))
        return values;
    free(values);
    return NULL;
}

/* The total of a rank, among n_steps of which those without the child are 0. */
static uint64_t total_of_rank(uint64_t *total, size_t n, size_t n_steps, size_t rank)
{
    const size_t n_without = n_steps - n;
    return rank < n_without ? 0 : rf_durations_rank(total, n, rank - n_without);
}

/* The median of all steps, of an even number the mean of both in the middle. */
static uint64_t median_total(uint64_t *total, size_t n, size_t n_steps)
{
    const uint64_t low = total_of_rank(total, n, n_steps, (n_steps - 1) / 2);
    const uint64_t high = total_of_rank(total, n, n_steps, n_steps / 2);
    return low + (high - low) / 2;
}

/* first: per key, one more than there are, where its totals are in `total`. */
static void fill_typical(const struct group *group, uint64_t *typical, size_t *first,
                         uint64_t *total)
{
    const struct rf_step_child *child = group->steps->child;
    const struct rf_step *step = group->steps->step;
    size_t begin = step[group->first].first_child;
    size_t end = step[group->end - 1].first_child + (size_t)step[group->end - 1].n_children;
    size_t n_keys = group->steps->keys.n;
    for (size_t c = begin; c < end; c++)
        first[child[c].key + 1]++;
    for (size_t k = 0; k < n_keys; k++)
        first[k + 1] += first[k];
    for (size_t c = begin; c < end; c++)
        total[first[child[c].key]++] = child[c].total_ns;
    for (size_t k = 0, from = 0; k < n_keys; from = first[k++]) {
        typical[k] = median_total(total + from, first[k] - from, group->end - group->first);
    }
}

static uint64_t *find_typical(const struct group *group)
{
    size_t n_keys = group->steps->keys.n;
    uint64_t *typical = calloc(n_keys + 1, sizeof(*typical));
    size_t *first = calloc(n_keys + 2, sizeof(*first));
    uint64_t *total = malloc((group->steps->n_children + 1) * sizeof(*total));
    if (typical != NULL && first != NULL && total != NULL) {
        fill_typical(group, typical, first, total);
    } else {
        free(typical);
        typical = NULL;
    }
    free(first);
    free(total);
    return typical;
}

/* ---- Names ---- */

/* A cell for each key, which rows copy. */
struct labels {
    size_t n;
    struct rf_cell cell[];
};

static void free_labels(void *words)
{
    struct labels *labels = words;
    for (size_t i = 0; i < labels->n; i++)
        free((void *)labels->cell[i].text);
    free(labels);
}

static bool set_label(struct rf_cell *cell, const struct source *source,
                      const struct rf_range_key *key, bool folds_numbers)
{
    size_t name_size = 0;
    if (source->summary == NULL) {
        if (!rf_cell_set_range(cell, source->rec, key->domain, key->name))
            return false;
        (void)rf_string(source->rec, key->name, &name_size);
        if (folds_numbers)
            rf_cell_fold_numbers(cell, name_size);
        return true;
    }
    const struct rf_summary_path path = {RF_NO_INDEX, key->domain, key->name};
    return rf_cell_set_path(cell, source->summary, &path, 0);
}

/* Makes the names, which are the table's. */
static bool make_labels(struct rf_table *table, const struct source *source,
                        const struct rf_range_keys *keys)
{
    struct labels *labels = calloc(1, sizeof(*labels) + keys->n * sizeof(*labels->cell));
    if (labels == NULL)
        return false;
    table->words = labels;
    table->free_words = free_labels;
    for (; labels->n < keys->n; labels->n++)
        if (!set_label(&labels->cell[labels->n], source, &keys->key[labels->n],
                       table->fold_numbers > 0))
            return false;
    return true;
}

/* ---- Rows ---- */

static void set_child(struct rf_cell *row, const struct group *group, const struct rf_step *step)
{
    const struct rf_step_child *child =
        step->n_children > 0 ? &group->steps->child[step->first_child] : NULL;
    uint32_t most = RF_NO_INDEX;
    for (uint32_t i = 0; i < step->n_children; i++) {
        uint64_t typical_ns = group->typical[child[i].key];
        if (child[i].total_ns <= typical_ns || child[i].total_ns - typical_ns <= row[EXCESS].count)
            continue;
        row[EXCESS].count = child[i].total_ns - typical_ns;
        most = child[i].key;
    }
    if (most == RF_NO_INDEX)
        rf_cell_set_word(&row[CHILD], "");
    else
        row[CHILD] = group->labels->cell[most];
}

static void set_range(struct rf_cell *row, const rf_recording *rec, const struct rf_step *step)
{
    const struct rf_event *range = rf_thread_event_at(rec, step->thread, step->event);
    const struct rf_thread *thread = rf_thread_at(rec, step->thread);
    row[START].time = range->start_ns;
    row[PID].count = rf_process_at(rec, thread->process)->pid;
    row[TID].count = thread->tid;
}

static void set_range_of_summary(struct rf_cell *row, const struct source *source,
                                 const struct rf_step *step)
{
    const struct rf_summary_step *of = &source->summary->step[step->event];
    row[START].time = rf_summary_step_start(source->summary, of);
    row[PID].count = of->pid;
    row[TID].count = of->tid;
}

static void set_outlier(struct rf_cell *row, const struct group *group, const struct rf_step *step)
{
    const double score = rf_outliers_score(&group->outliers, step->duration_ns);
    const bool is_early =
        (size_t)(step - group->steps->step) - group->first < group->outliers.n_warm_up;
    const char *what = score > RF_OUTLIER_SCORE    ? is_early ? "warm-up" : "slow"
                       : score < -RF_OUTLIER_SCORE ? "fast"
                                                   : "";
    row[SCORE].real = score;
    rf_cell_set_word(&row[OUTLIER], step->cut == RF_CUT_NONE ? what : "");
}

static void set_row(struct rf_cell *row, const struct group *group, const struct rf_step *step)
{
    const struct source *source = group->source;
    const double median_ns = group->outliers.median_ns;
    const double over_ns = (double)step->duration_ns - median_ns;
    row[STEP].count = step->number;
    row[DURATION].count = step->duration_ns;
    row[DEVIATION].real = median_ns > 0 ? 100 * over_ns / median_ns : NAN;
    set_outlier(row, group, step);
    row[SELF].time = step->has_children ? (int64_t)step->self_ns : RF_NO_TIME;
    row[BUSY].count = step->busy_ns;
    row[WAIT].count = step->wait_ns;
    rf_cell_set_word(&row[IS_CUT], rf_step_cut_name(step->cut));
    row[NAME] = group->labels->cell[step->key];
    set_child(row, group, step);
    if (source->summary == NULL)
        set_range(row, source->rec, step);
    else
        set_range_of_summary(row, source, step);
}

static bool add_row(struct rf_table *table, const struct group *group, const struct rf_step *step)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_row(row, group, step);
    const rf_summary *summary = group->source->summary;
    return summary == NULL || rf_table_set_step_origin(table, summary, &summary->step[step->event]);
}

static void note(struct rf_table *table, const struct group *group)
{
    struct rf_cell row[N_COLUMNS] = {{.count = 0}};
    set_row(row, group, &group->steps->step[group->first]);
    const struct rf_step_series series = {.name = &row[NAME],
                                          .pid = row[PID].count,
                                          .tid = row[TID].count,
                                          .duration_ns = group->duration_ns,
                                          .first = row[STEP].count,
                                          .n = group->end - group->first,
                                          .outliers = &group->outliers};
    rf_add_step_notes(table, &series);
}

/* ---- All rows ---- */

/* Those of few threads are made when they are looked at. */
struct rows {
    struct rf_row_maker maker;
    struct source source;
    struct rf_steps steps;
    struct group group[MAX_NOTED];
    size_t n_groups;
};

static void free_rows(struct rf_row_maker *maker)
{
    struct rows *rows = (struct rows *)(void *)maker; /* its first member */
    for (size_t i = 0; i < rows->n_groups; i++)
        free(rows->group[i].typical);
    rf_steps_release(&rows->steps);
    free(rows);
}

static void make_row(const struct rf_row_maker *maker, size_t row, struct rf_cell *cells)
{
    const struct rows *rows = (const struct rows *)(const void *)maker;
    const struct group *group = rows->group;
    while (row >= group->end)
        group++;
    set_row(cells, group, &rows->steps.step[row]);
}

/* The steps of the thread whose first step is given. false: out of memory. */
static bool init_group(struct group *group, const struct rf_table *table, const struct rows *rows,
                       size_t first)
{
    const struct rf_steps *steps = &rows->steps;
    *group = (struct group){.source = &rows->source,
                            .steps = steps,
                            .labels = table->words,
                            .first = first,
                            .end = first};
    while (group->end < steps->n && steps->step[group->end].thread == steps->step[first].thread)
        group->end++;
    group->typical = find_typical(group);
    group->duration_ns = find_outliers(group);
    return group->typical != NULL && group->duration_ns != NULL;
}

/* Adds the rows of a thread, or keeps it in `rows` for them to be made. */
static bool add_thread(struct rf_table *table, struct rows *rows, struct group *group,
                       bool is_noted, bool is_kept)
{
    bool is_done = true;
    for (size_t i = group->first; i < group->end && is_done && !is_kept; i++)
        is_done = add_row(table, group, &rows->steps.step[i]);
    if (is_done && is_noted)
        note(table, group);
    if (is_kept) {
        rows->group[rows->n_groups++] = *group;
        group->typical = NULL;
    }
    return is_done;
}

static size_t count_threads(const struct rf_steps *steps)
{
    size_t n = 0;
    for (size_t i = 0; i < steps->n; i++)
        n += i == 0 || steps->step[i].thread != steps->step[i - 1].thread;
    return n;
}

static int add_rows(struct rf_table *table, struct rows *rows)
{
    const size_t n_threads = count_threads(&rows->steps);
    const bool are_kept =
        table->can_make_rows && rows->source.summary == NULL && n_threads <= MAX_NOTED;
    bool is_done = make_labels(table, &rows->source, &rows->steps.keys);
    struct group group = {.end = 0};
    for (size_t n = 0; n < n_threads && is_done; n++) {
        is_done = init_group(&group, table, rows, group.end) &&
                  add_thread(table, rows, &group, n < MAX_NOTED, are_kept);
        free(group.typical);
        free(group.duration_ns);
    }
    if (n_threads > MAX_NOTED)
        rf_table_add_note(table, "and %zu more threads", n_threads - MAX_NOTED);
    if (is_done && are_kept)
        rf_table_take_maker(table, &rows->maker, rows->steps.n);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

static struct rows *new_rows(const struct source *source)
{
    struct rows *rows = calloc(1, sizeof(*rows));
    if (rows != NULL) {
        rows->maker.make = make_row;
        rows->maker.free = free_rows;
        rows->source = *source;
    }
    return rows;
}

/* ---- Notes ---- */

static void add_notes(struct rf_table *table, const struct rf_steps *steps, uint64_t n_lost)
{
    if (steps->n == 0)
        rf_table_add_note(table,
                          "there are no steps: no thread has a range that repeats %d times; put "
                          "each step of the program in an NVTX range of one name",
                          RF_MIN_STEPS);
    if (steps->n_without_children > 0)
        rf_table_add_note(table, "steps that overlap too many others to look into them: %llu",
                          (unsigned long long)steps->n_without_children);
    if (n_lost > 0)
        rf_table_add_note(table, "%llu events were lost: steps may be missing",
                          (unsigned long long)n_lost);
}

static void add_summary_notes(struct rf_table *table, const struct rf_steps *steps,
                              const struct rf_summary_input *input)
{
    if (input->n_searched > 0)
        add_notes(table, steps, input->n_lost);
    rf_add_missing_steps_notes(table, input);
}

/* Frees rows that the table did not take. */
static void leave(const struct rf_table *table, struct rows *rows)
{
    if (table->maker == NULL)
        free_rows(&rows->maker);
}

/* Of the steps that are looked at next: those of the thread with most of them. */
static void set_differing(const struct rf_table *table, const rf_recording *rec,
                          const struct rf_steps *steps)
{
    size_t most = 0;
    for (size_t begin = 0, end = 0; begin < steps->n; begin = end) {
        const struct rf_step *step = &steps->step[begin];
        size_t size;
        const char *name = rf_string(rec, steps->keys.key[step->key].name, &size);
        while (end < steps->n && steps->step[end].thread == step->thread)
            end++;
        if (name != NULL && end - begin > most && rf_table_set_differing(table, name, size))
            most = end - begin;
    }
}

static int list_steps(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    const struct rf_steps_options options = {.range = table->step,
                                             .folds_numbers = table->fold_numbers > 0};
    struct rows *rows = new_rows(&(struct source){.rec = rec});
    (void)report;
    if (rows == NULL)
        return RF_ERR_NO_MEMORY;
    int status = rf_steps_init(&rows->steps, rec, &options, err);
    if (status == RF_OK)
        status = add_rows(table, rows);
    if (status == RF_OK)
        add_notes(table, &rows->steps, rf_get_info(rec)->n_lost_records);
    if (status == RF_OK)
        set_differing(table, rec, &rows->steps);
    if (status == RF_OK && rf_get_info(rec)->is_live)
        rf_table_add_note(table, "the recording goes on: these are the steps so far");
    leave(table, rows);
    return status;
}

static int list_steps_of_summary(const struct rf_report *report, const rf_summary *summary,
                                 uint32_t input, struct rf_table *table, struct rf_err *err)
{
    (void)report;
    if (table->step != NULL)
        return rf_refuse_step_of_summary(err);
    struct rows *rows = new_rows(&(struct source){.summary = summary, .input = input});
    int status = RF_ERR_NO_MEMORY;
    if (rows != NULL)
        status = rf_steps_of_summary(&rows->steps, summary, input);
    if (status == RF_OK)
        status = add_rows(table, rows);
    if (status == RF_OK)
        add_summary_notes(table, &rows->steps, rf_summary_input_at(summary, input));
    if (rows != NULL)
        leave(table, rows);
    return rf_summary_fail(status, rf_summary_input_at(summary, input)->path, err);
}

const struct rf_report rf_report_steps = {
    .name = "steps",
    .description = "the steps of each thread that repeats a range, and what made them slow",
    .needs = RF_NEEDS_RANGES,
    .title = "Steps",
    RF_REPORT_COLUMNS(columns),
    .compute = list_steps,
    .compute_summary = list_steps_of_summary,
};
