/* SPDX-License-Identifier: Apache-2.0 */
/* pace: the n-th step of each thread or rank side by side, who took longest, and who is behind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/add_up.h"
#include "stats/durations.h"
#include "stats/step_lanes.h"
#include "stats/step_notes.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "summary/steps_of_summary.h"
#include "summary/summary_steps.h"

#define MAX_LANES          64 /* with a column of their own */
#define MAX_TERMINAL_LANES 6

enum { STEP, THREADS, SHORTEST, MEDIAN, LONGEST, SPREAD, SLOWEST, BEHIND, LAST, NAME, N_FIXED };

static const struct rf_column columns[] = {
    [STEP] = {"Step", RF_COLUMN_ID, "number of the step in its thread, from 1"},
    [THREADS] = {"Threads", RF_COLUMN_COUNT, "threads that have it"},
    [SHORTEST] = {"Min (ns)", RF_COLUMN_SPAN, "shortest duration"},
    [MEDIAN] = {"Median (ns)", RF_COLUMN_SPAN, "median of the durations"},
    [LONGEST] = {"Max (ns)", RF_COLUMN_SPAN, "longest duration"},
    [SPREAD] = {"Spread (%)", RF_COLUMN_REAL,
                "Max less Min, in percent of Median; None: that is 0"},
    [SLOWEST] =
        {"Slowest", RF_COLUMN_TEXT,
         "thread with the longest: its rank, or host, PID and TID; empty: all are the same"},
    [BEHIND] =
        {"Behind (ns)", RF_COLUMN_SPAN,
         "how much longer the last thread took from the start of its first step to the end of "
         "this one than the first thread, each by its own clock"},
    [LAST] = {"Last", RF_COLUMN_TEXT, "thread that took longest to get there; empty: likewise"},
    [NAME] = {"Name", RF_COLUMN_TEXT, "domain:message of the range, with # for numbers"},
};

/* The columns of a table with one for each lane, and their titles. */
struct titles {
    size_t n;
    char *title[];
};

static void free_titles(void *words)
{
    struct titles *titles = words;
    for (size_t i = 0; i < titles->n; i++)
        free(titles->title[i]);
    free(titles);
}

/* Lanes of several loops may have one label, and share a column. */
static size_t column_of(const struct titles *titles, const char *label)
{
    const size_t size = strlen(label);
    size_t i = 0;
    while (i < titles->n && (strncmp(titles->title[i], label, size) != 0 ||
                             strcmp(titles->title[i] + size, " (ns)") != 0))
        i++;
    return i;
}

static bool add_titles(struct titles *titles, const struct rf_step_lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++)
        if (column_of(titles, lanes->lane[i].label) == titles->n) {
            if (asprintf(&titles->title[titles->n], "%s (ns)", lanes->lane[i].label) < 0)
                return false;
            titles->n++;
        }
    return true;
}

/* Adds a column for each lane, if they are not too many. false: out of memory. */
static bool add_columns(struct rf_table *table, const struct rf_step_lanes *lanes)
{
    const size_t most = table->width > 0 ? MAX_TERMINAL_LANES : MAX_LANES;
    if (lanes->n == 0 || lanes->n > most || table->has_fixed_columns) {
        if (lanes->n > most)
            rf_table_add_note(table, "each of %zu threads has no column here", lanes->n);
        return true;
    }
    struct titles *titles = calloc(1, sizeof(*titles) + lanes->n * sizeof(*titles->title));
    if (titles == NULL)
        return false;
    table->words = titles;
    table->free_words = free_titles;
    if (table->own_columns == NULL)
        table->own_columns = calloc(RF_TABLE_MAX_COLUMNS, sizeof(*table->own_columns));
    if (table->own_columns == NULL || !add_titles(titles, lanes))
        return false;
    memcpy(table->own_columns, columns, sizeof(columns));
    for (size_t i = 0; i < titles->n; i++)
        table->own_columns[N_FIXED + i] =
            (struct rf_column){titles->title[i], RF_COLUMN_SPAN, "duration of the step there"};
    table->columns = table->own_columns;
    table->n_columns = N_FIXED + titles->n;
    return true;
}

/* ---- Rows ---- */

/* The lanes of one loop, and room for a duration of each. */
struct loop {
    const struct rf_step_lane *lane;
    size_t n;
    const char *name;
    uint64_t *duration_ns;
};

/* From the start of the first step to the end of this one. */
static uint64_t progress_ns(const struct rf_step_lane *lane, size_t i)
{
    return rf_add_up((uint64_t)lane->step[i].start_ns - (uint64_t)lane->step[0].start_ns,
                     lane->step[i].duration_ns);
}

struct extremes {
    const struct rf_step_lane *slowest, *last, *first;
    bool differ; /* durations */
    size_t n;
};

static struct extremes find_extremes(const struct loop *loop, size_t i)
{
    struct extremes found = {.slowest = NULL};
    for (size_t k = 0; k < loop->n; k++) {
        const struct rf_step_lane *lane = &loop->lane[k];
        if (i >= lane->n)
            continue;
        loop->duration_ns[found.n++] = lane->step[i].duration_ns;
        found.differ |= lane->step[i].duration_ns != loop->duration_ns[0];
        if (found.slowest == NULL || lane->step[i].duration_ns > found.slowest->step[i].duration_ns)
            found.slowest = lane;
        if (found.last == NULL || progress_ns(lane, i) > progress_ns(found.last, i))
            found.last = lane;
        if (found.first == NULL || progress_ns(lane, i) < progress_ns(found.first, i))
            found.first = lane;
    }
    return found;
}

static void set_lanes(const struct rf_table *table, struct rf_cell *row, const struct loop *loop,
                      size_t i)
{
    for (size_t c = N_FIXED; c < table->n_columns; c++)
        row[c].time = RF_NO_TIME;
    for (size_t k = 0; k < loop->n && table->n_columns > N_FIXED; k++)
        if (i < loop->lane[k].n)
            row[N_FIXED + column_of(table->words, loop->lane[k].label)].count =
                loop->lane[k].step[i].duration_ns;
}

static bool set_text(struct rf_cell *cell, const char *text)
{
    return rf_cell_set_text(cell, text, strlen(text));
}

static bool add_row(struct rf_table *table, const struct loop *loop, size_t i)
{
    const struct extremes found = find_extremes(loop, i);
    struct rf_durations measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    const uint64_t behind_ns = progress_ns(found.last, i) - progress_ns(found.first, i);
    rf_durations_measure(&measured, loop->duration_ns, found.n);
    row[STEP].count = i + 1;
    row[THREADS].count = found.n;
    row[SHORTEST].count = measured.min_ns;
    row[MEDIAN].count = (uint64_t)(measured.median_ns + 0.5);
    row[LONGEST].count = measured.max_ns;
    row[SPREAD].real = measured.median_ns > 0
                           ? 100 * (double)(measured.max_ns - measured.min_ns) / measured.median_ns
                           : NAN;
    row[BEHIND].count = behind_ns;
    set_lanes(table, row, loop, i);
    return set_text(&row[SLOWEST], found.differ ? found.slowest->label : "") &&
           set_text(&row[LAST], behind_ns > 0 ? found.last->label : "") &&
           set_text(&row[NAME], loop->name);
}

/* Who of a loop is slowest and last most often. */
static void add_note(struct rf_table *table, const struct loop *loop, size_t n_steps)
{
    size_t best = 0, n_best = 0;
    for (size_t k = 0; k < loop->n; k++) {
        size_t n = 0;
        for (size_t r = table->n_rows - n_steps; r < table->n_rows; r++)
            n +=
                strcmp(table->cells[r * table->n_columns + SLOWEST].text, loop->lane[k].label) == 0;
        best = n > n_best ? k : best;
        n_best = n > n_best ? n : n_best;
    }
    if (n_best > 0 && loop->n > 1)
        rf_table_add_note(table, "%.60s: %s is slowest in %zu of %zu steps", loop->name,
                          loop->lane[best].label, n_best, n_steps);
}

static int add_loop(struct rf_table *table, struct loop *loop)
{
    size_t n_steps = 0;
    loop->duration_ns = malloc(loop->n * sizeof(*loop->duration_ns));
    bool is_done = loop->duration_ns != NULL;
    for (size_t k = 0; k < loop->n; k++)
        n_steps = loop->lane[k].n > n_steps ? loop->lane[k].n : n_steps;
    for (size_t i = 0; i < n_steps && is_done; i++)
        is_done = add_row(table, loop, i);
    if (is_done && loop->n <= MAX_LANES)
        add_note(table, loop, n_steps);
    free(loop->duration_ns);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_rows(struct rf_table *table, struct rf_step_lanes *lanes)
{
    rf_step_lanes_settle(lanes);
    int status = add_columns(table, lanes) ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < lanes->n && status == RF_OK;) {
        struct loop loop = {.lane = &lanes->lane[i], .name = lanes->loop[lanes->lane[i].loop]};
        for (; i < lanes->n && lanes->lane[i].loop == loop.lane->loop; i++)
            loop.n++;
        status = add_loop(table, &loop);
    }
    return status;
}

static void note_none(struct rf_table *table, const struct rf_step_lanes *lanes)
{
    if (lanes->n == 0)
        rf_table_add_note(table, "there are no steps: no thread has a range that repeats %d times",
                          RF_MIN_STEPS);
}

/* ---- Lanes ---- */

static struct rf_step_lane *begin_lane(struct rf_step_lanes *lanes, const rf_recording *rec,
                                       const struct rf_step *step)
{
    const struct rf_event *range = rf_thread_event_at(rec, step->thread, step->event);
    const struct rf_thread *thread = rf_thread_at(rec, step->thread);
    const struct rf_process *process = rf_process_at(rec, thread->process);
    const char *host = rf_get_info(rec)->host;
    const struct rf_step_lane lane = {.rank = process->rank,
                                      .host = host != NULL ? host : "",
                                      .pid = process->pid,
                                      .tid = thread->tid};
    struct rf_cell label = {.text = NULL};
    struct rf_step_lane *added = NULL;
    if (rf_cell_set_range(&label, rec, range->domain, range->name)) {
        size_t name_size = 0;
        (void)rf_string(rec, range->name, &name_size);
        const size_t before = label.size - name_size;
        const struct rf_step_lane_name name = {before > 0 ? label.text : NULL, label.text + before,
                                               before > 0 ? before - 1 : 0, name_size};
        added = rf_step_lanes_add(lanes, &lane, &name);
    }
    free((void *)label.text);
    return added;
}

static int find_lanes(struct rf_step_lanes *lanes, const rf_recording *rec,
                      const struct rf_steps *steps)
{
    struct rf_step_lane *lane = NULL;
    for (size_t i = 0; i < steps->n; i++) {
        const struct rf_step *step = &steps->step[i];
        const struct rf_event *range = rf_thread_event_at(rec, step->thread, step->event);
        if (i == 0 || step->thread != steps->step[i - 1].thread)
            lane = begin_lane(lanes, rec, step);
        if (lane == NULL || !rf_step_lane_add(lane, range->start_ns, step->duration_ns))
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static int find_lanes_of_summary(struct rf_step_lanes *lanes, const rf_summary *summary,
                                 const struct rf_steps *steps)
{
    struct rf_step_lane *lane = NULL;
    size_t ignored;
    for (size_t i = 0; i < steps->n; i++) {
        const struct rf_summary_step *step = &summary->step[steps->step[i].event];
        if (i == 0 || steps->step[i].thread != steps->step[i - 1].thread) {
            const struct rf_summary_path *path = &summary->path[step->path];
            const char *host = rf_summary_text(summary, step->host, &ignored);
            const struct rf_step_lane like = {.rank = step->rank,
                                              .host = host != NULL ? host : "",
                                              .pid = step->pid,
                                              .tid = step->tid};
            struct rf_step_lane_name name = {.domain = NULL};
            name.domain = rf_summary_text(summary, path->domain, &name.domain_size);
            name.name = rf_summary_text(summary, path->name, &name.name_size);
            if (name.name == NULL)
                name = (struct rf_step_lane_name){name.domain, "(null)", name.domain_size, 6};
            lane = rf_step_lanes_add(lanes, &like, &name);
        }
        if (lane == NULL || !rf_step_lane_add(lane, step->start_utc_ns, step->duration))
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static int list_pace(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    const struct rf_steps_options options = {.range = table->step};
    struct rf_step_lanes lanes = {.n = 0};
    struct rf_steps steps;
    (void)report;
    int status = rf_steps_init(&steps, rec, &options, err);
    if (status == RF_OK)
        status = find_lanes(&lanes, rec, &steps);
    table->has_fixed_columns = table->is_joined;
    if (status == RF_OK)
        status = add_rows(table, &lanes);
    note_none(table, &lanes);
    rf_steps_release(&steps);
    rf_step_lanes_release(&lanes);
    return status;
}

static int list_pace_of_summary(const struct rf_report *report, const rf_summary *summary,
                                uint32_t input, struct rf_table *table, struct rf_err *err)
{
    struct rf_step_lanes lanes = {.n = 0};
    struct rf_steps steps;
    (void)report;
    int status = rf_steps_of_summary(&steps, summary, input);
    if (status == RF_OK)
        status = find_lanes_of_summary(&lanes, summary, &steps);
    table->has_fixed_columns = rf_summary_n_inputs(summary) > 1;
    if (status == RF_OK)
        status = add_rows(table, &lanes);
    if (rf_summary_input_at(summary, input)->n_searched > 0)
        note_none(table, &lanes);
    rf_add_missing_steps_notes(table, rf_summary_input_at(summary, input));
    rf_steps_release(&steps);
    rf_step_lanes_release(&lanes);
    return rf_summary_fail(status, rf_summary_input_at(summary, input)->path, err);
}

const struct rf_report rf_report_pace = {
    .name = "pace",
    .description = "the n-th step of each thread or rank side by side, and who is behind",
    .needs = RF_NEEDS_RANGES,
    .title = "Pace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_pace,
    .compute_summary = list_pace_of_summary,
    .compares_inputs = true,
};
