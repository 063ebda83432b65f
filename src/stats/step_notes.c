/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/step_notes.h"

#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/error.h"
#include "stats/sparkline.h"

#define MAX_NAMED 5 /* steps that are named one by one */

static bool is_outlier(const struct rf_step_series *series, size_t i, bool is_slow)
{
    double score = rf_outliers_score(series->outliers, series->duration_ns[i]);
    return i >= series->outliers->n_warm_up && (is_slow ? score : -score) > RF_OUTLIER_SCORE;
}

/* Puts a step among those that stand out the most, the first of several before the others. */
static void insert(const struct rf_step_series *series, size_t worst[MAX_NAMED], size_t n, size_t i,
                   bool is_slow)
{
    const uint64_t *ns = series->duration_ns;
    size_t at = n < MAX_NAMED ? n : MAX_NAMED;
    while (at > 0 && (is_slow ? ns[i] > ns[worst[at - 1]] : ns[i] < ns[worst[at - 1]])) {
        if (at < MAX_NAMED)
            worst[at] = worst[at - 1];
        at--;
    }
    if (at < MAX_NAMED)
        worst[at] = i;
}

/* Appends those that stand out the most, as "; slow: 20, 40 and 6 more". */
static void list(char *text, size_t size, const struct rf_step_series *series, bool is_slow)
{
    size_t worst[MAX_NAMED], n = 0, used = strlen(text);
    for (size_t i = 0; i < series->n; i++)
        if (is_outlier(series, i, is_slow))
            insert(series, worst, n++, i, is_slow);
    for (size_t i = 0; i < n && i < MAX_NAMED && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%llu",
                                 i > 0     ? ", "
                                 : is_slow ? "; slow: "
                                           : "; fast: ",
                                 (unsigned long long)(series->first + worst[i]));
    if (n > MAX_NAMED && used < size)
        (void)snprintf(text + used, size - used, " and %zu more", n - MAX_NAMED);
}

static void add_line(struct rf_table *table, const struct rf_step_series *series)
{
    char line[3 * RF_SPARKLINE_MAX + 1], most[32];
    uint64_t most_ns = 0;
    for (size_t i = 0; i < series->n; i++)
        most_ns = series->duration_ns[i] > most_ns ? series->duration_ns[i] : most_ns;
    if (table->width < 30)
        return;
    rf_sparkline(line, series->duration_ns, series->n, table->width - 20, table->is_ascii);
    rf_table_add_note(table, "  %s 0 to %s", line,
                      rf_format_duration(most, sizeof(most),
                                         most_ns <= INT64_MAX ? (int64_t)most_ns : INT64_MAX));
}

void rf_add_step_notes(struct rf_table *table, const struct rf_step_series *series)
{
    char median[32], mad[32], standing_out[400] = "";
    const unsigned long long first = (unsigned long long)series->first;
    const size_t n_warm_up = series->outliers->n_warm_up;
    if (n_warm_up == 1)
        (void)snprintf(standing_out, sizeof(standing_out), "; warm-up: %llu", first);
    else if (n_warm_up > 1)
        (void)snprintf(standing_out, sizeof(standing_out), "; warm-up: %llu to %llu", first,
                       first + n_warm_up - 1);
    list(standing_out, sizeof(standing_out), series, true);
    list(standing_out, sizeof(standing_out), series, false);
    rf_table_add_note(
        table, "thread %llu/%llu, %.*s%s: %zu step%s, median %s, MAD %s%s",
        (unsigned long long)series->pid, (unsigned long long)series->tid,
        series->name->size > 60 ? 60 : (int)series->name->size, series->name->text,
        series->name->size > 60 ? "..." : "", series->n, series->n == 1 ? "" : "s",
        rf_format_duration(median, sizeof(median), (int64_t)series->outliers->median_ns),
        rf_format_duration(mad, sizeof(mad), (int64_t)series->outliers->mad_ns), standing_out);
    add_line(table, series);
}

int rf_refuse_step_of_summary(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_UNSUPPORTED,
                   "a summary has its steps already: 'rangefinder summarize --step' says which "
                   "range they are");
}

void rf_add_later_steps_note(struct rf_table *table, const struct rf_summary_input *input,
                             const char *what)
{
    if (input->n_steps_left_out > 0)
        rf_table_add_note(table,
                          "%llu later steps are not in the summary%s: 'rangefinder summarize "
                          "--max-steps' keeps more",
                          (unsigned long long)input->n_steps_left_out, what);
}

void rf_add_missing_steps_notes(struct rf_table *table, const struct rf_summary_input *input)
{
    if (input->n_searched < input->n_inputs)
        rf_table_add_note(table,
                          "in %llu of %llu recordings steps were not looked for: 'rangefinder "
                          "summarize --steps' looks for them in long ones too",
                          (unsigned long long)(input->n_inputs - input->n_searched),
                          (unsigned long long)input->n_inputs);
    rf_add_later_steps_note(table, input, ", and the medians are without them");
}
