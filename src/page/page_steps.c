/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_steps.h"

#include <stdlib.h>

#include "base/amounts.h"
#include "page/page_html.h"
#include "stats/add_up.h"
#include "stats/durations.h"

#define MAX_CHARTS  4
#define MAX_COLUMNS 400 /* of a chart: more steps share columns */
#define WIDTH       800
#define HEIGHT      160

/* Steps of one thread and name: those of a thread stand together. */
struct group {
    size_t first, n;
    uint32_t key;
    uint64_t total_ns;
};

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The groups with most time, one for each name. */
static size_t find_groups(const struct rf_steps *steps, struct group *group)
{
    size_t n = 0;
    for (size_t i = 0; i < steps->n; i++) {
        const struct rf_step *step = &steps->step[i];
        if (i == 0 || step->thread != step[-1].thread || step->key != step[-1].key)
            group[n++] = (struct group){.first = i, .key = step->key};
        group[n - 1].n++;
        group[n - 1].total_ns = rf_add_up(group[n - 1].total_ns, step->duration_ns);
    }
    qsort(group, n, sizeof(*group), compare_groups);
    size_t n_kept = 0;
    for (size_t i = 0; i < n && n_kept < MAX_CHARTS; i++) {
        bool is_known = group[i].n < RF_MIN_STEPS;
        for (size_t k = 0; k < n_kept && !is_known; k++)
            is_known = group[k].key == group[i].key;
        if (!is_known)
            group[n_kept++] = group[i];
    }
    return n_kept;
}

/* ---- A chart ---- */

struct column {
    uint64_t low, middle, high; /* of the durations of its steps */
};

struct chart {
    size_t n_columns, n_per_column;
    struct column column[MAX_COLUMNS];
    uint64_t median, highest;
};

/* of is reordered. */
static struct column column_of(uint64_t *of, size_t n)
{
    struct column column = {of[0], 0, of[0]};
    for (size_t i = 1; i < n; i++) {
        column.low = of[i] < column.low ? of[i] : column.low;
        column.high = of[i] > column.high ? of[i] : column.high;
    }
    column.middle = (uint64_t)rf_durations_median(of, n);
    return column;
}

/* duration: room for all of the group. */
static void measure(struct chart *chart, const struct rf_step *step, size_t n, uint64_t *duration)
{
    chart->n_per_column = (n + MAX_COLUMNS - 1) / MAX_COLUMNS;
    chart->n_columns = (n + chart->n_per_column - 1) / chart->n_per_column;
    for (size_t i = 0; i < n; i++)
        duration[i] = step[i].duration_ns;
    for (size_t c = 0; c < chart->n_columns; c++) {
        uint64_t *of = duration + c * chart->n_per_column;
        const size_t left = n - c * chart->n_per_column;
        const size_t n_of = left < chart->n_per_column ? left : chart->n_per_column;
        chart->column[c] = column_of(of, n_of);
    }
    const struct column all = column_of(duration, n);
    chart->median = all.middle;
    chart->highest = all.high;
}

static double y_of(const struct chart *chart, uint64_t ns)
{
    return chart->highest > 0 ? HEIGHT - HEIGHT * ((double)ns / (double)chart->highest) : HEIGHT;
}

/* A bar from the shortest to the longest of each column, and the middle of it; a single step is a
 * bar from 0. */
static void put_bars(struct rf_sink *sink, const struct chart *chart)
{
    const double width = (double)WIDTH / (double)chart->n_columns;
    const bool are_many = chart->n_per_column > 1;
    for (int slow = 0; slow < 2; slow++) {
        rf_sink_format(sink, "<path class=\"%s\" d=\"", slow ? "slow" : "bar");
        for (size_t c = 0; c < chart->n_columns; c++) {
            const struct column *of = &chart->column[c];
            const bool is_slow = (double)of->high > 1.5 * (double)chart->median;
            const double top = y_of(chart, of->high);
            const double bottom = are_many ? y_of(chart, of->low) : HEIGHT;
            if (is_slow == (slow == 1))
                rf_sink_format(sink, "M%.1f %.1fh%.1fV%.1fh-%.1fz", (double)c * width, top,
                               0.8 * width, bottom + (bottom - top < 1), 0.8 * width);
        }
        rf_sink_text(sink, "\"/>");
    }
}

static void put_duration(struct rf_sink *sink, uint64_t ns)
{
    char text[40];
    rf_sink_text(sink, rf_format_duration(text, sizeof(text), (int64_t)ns));
}

static void put_name(struct rf_sink *sink, const rf_recording *rec, uint32_t name)
{
    size_t size = 0;
    const char *text = rf_string(rec, name, &size);
    if (text != NULL)
        rf_html_put_bytes(sink, text, rf_html_cut(text, size));
}

static void put_chart(struct rf_sink *sink, const rf_recording *rec, const struct rf_steps *steps,
                      const struct group *group, const struct chart *chart)
{
    const struct rf_thread *thread = rf_thread_at(rec, steps->step[group->first].thread);
    const double median_y = y_of(chart, chart->median);
    rf_sink_text(sink, "<figure><figcaption><b>");
    put_name(sink, rec, steps->keys.key[group->key].name);
    rf_sink_format(sink, "</b>, thread %u: %zu steps, median ", thread->tid, group->n);
    put_duration(sink, chart->median);
    rf_sink_text(sink, ", longest ");
    put_duration(sink, chart->highest);
    if (chart->n_per_column > 1)
        rf_sink_format(sink, "; each bar is %zu steps, from the shortest to the longest",
                       chart->n_per_column);
    rf_sink_format(sink,
                   "</figcaption><svg class=\"steps\" viewBox=\"0 0 %d %d\" "
                   "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"durations of steps\">",
                   WIDTH, HEIGHT);
    put_bars(sink, chart);
    rf_sink_format(sink, "<path class=\"median\" d=\"M0 %.1fH%d\"/></svg></figure>\n", median_y,
                   WIDTH);
}

int rf_page_steps_put(const rf_recording *rec, const struct rf_steps *steps, struct rf_sink *sink)
{
    if (steps->n == 0)
        return RF_OK;
    struct group *group = malloc(steps->n * sizeof(*group));
    uint64_t *duration = malloc(steps->n * sizeof(*duration));
    struct chart *chart = malloc(sizeof(*chart));
    const bool has_room = group != NULL && duration != NULL && chart != NULL;
    const size_t n = has_room ? find_groups(steps, group) : 0;
    if (n > 0)
        rf_sink_text(sink,
                     "<section id=\"steps\"><h2>Steps</h2>\n<p>What repeats, in the order of "
                     "time. The line is the median; bars of more than 1.5 times the median are "
                     "marked.</p>\n");
    for (size_t i = 0; i < n; i++) {
        measure(chart, &steps->step[group[i].first], group[i].n, duration);
        put_chart(sink, rec, steps, &group[i], chart);
    }
    if (n > 0)
        rf_sink_text(sink, "</section>\n");
    free(group);
    free(duration);
    free(chart);
    return has_room ? RF_OK : RF_ERR_NO_MEMORY;
}
