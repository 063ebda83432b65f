/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_counter_sum: what the counters of NVTX amount to over the whole recording. */
#include <math.h>

#include "stats/column_meanings.h"
#include "stats/counter_means.h"
#include "stats/range_labels.h"
#include "stats/report.h"

static const struct rf_column columns[] = {
    {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    {"TID", RF_COLUMN_ID,
     "id of the thread whose counter it is; None: the scope of the counter is not a thread"},
    {"Counter", RF_COLUMN_TEXT, RF_MEANS_COUNTER},
    {"Unit", RF_COLUMN_WORD, RF_MEANS_COUNTER_UNIT},
    {"Samples", RF_COLUMN_COUNT, "number of samples, with those that have no finite value"},
    {"Min", RF_COLUMN_VALUE,
     "smallest value, exact where it is whole and the unit has no scale; None: no value is finite"},
    {"Mean", RF_COLUMN_VALUE,
     "mean of the values, weighed as the column Mean Over says; None: no value is finite"},
    {"Max", RF_COLUMN_VALUE, "largest value, likewise; None: no value is finite"},
    {"Last", RF_COLUMN_VALUE,
     "last value, and of differences (delta) their sum, likewise; None: no value is finite"},
    {"Mean Over", RF_COLUMN_WORD,
     "what the mean is weighed by: time (how long each value stood) or samples (all alike)"},
};

/* A number, exactly where it is whole. */
struct number {
    double real;
    __int128 whole;
    bool is_whole;
};

struct figures {
    struct number min, max, last;
    size_t n; /* finite values */
};

static struct number value_of(const struct rf_counter *counter, size_t i)
{
    struct number number = {.real = rf_counter_value(counter, i)};
    number.is_whole = rf_counter_whole(counter, i, &number.whole);
    return number;
}

static bool is_less(const struct number *a, const struct number *b)
{
    return a->is_whole && b->is_whole ? a->whole < b->whole : a->real < b->real;
}

static struct number add_up(const struct number *a, const struct number *b)
{
    struct number sum = {.real = a->real + b->real};
    sum.is_whole =
        a->is_whole && b->is_whole && !__builtin_add_overflow(a->whole, b->whole, &sum.whole);
    return sum;
}

/* Values that are not finite count as samples alone. The last of differences is their sum. */
static struct figures measure(const struct rf_counter *counter)
{
    const struct number none = {.real = (double)NAN}, zero = {.is_whole = true};
    struct figures f = {none, none, none, 0};
    struct number sum = zero;
    for (size_t i = 0; i < counter->n_samples; i++) {
        const struct number value = value_of(counter, i);
        if (!isfinite(value.real))
            continue;
        sum = add_up(&sum, &value);
        f.min = f.n == 0 || is_less(&value, &f.min) ? value : f.min;
        f.max = f.n == 0 || is_less(&f.max, &value) ? value : f.max;
        f.last = counter->nvtx->value_type == RF_COUNTER_DELTA ? sum : value;
        f.n++;
    }
    return f;
}

static void set_number(struct rf_cell *cell, const struct number *number)
{
    if (number->is_whole)
        rf_cell_set_whole(cell, number->whole);
    else
        cell->real = number->real;
}

/* All of it; a counter that has only samples at one time has no time to weigh by. */
static double mean_of(const struct rf_counter_integral *integral, double otherwise)
{
    const struct rf_weighed *all = &integral->until[integral->counter->n_samples];
    return all->weight > 0 ? all->sum / all->weight : otherwise;
}

static bool add_row(struct rf_table *table, const rf_recording *rec,
                    const struct rf_counter *counter)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    const struct figures f = measure(counter);
    struct rf_counter_integral integral;
    struct rf_cell *row = NULL;
    if (rf_counter_integrate(&integral, rec, counter) == RF_OK)
        row = rf_table_add_row(table);
    if (row != NULL) {
        row[0].count = rf_process_at(rec, counter->process)->pid;
        row[1].count =
            nvtx->thread != RF_NO_INDEX ? rf_thread_at(rec, nvtx->thread)->tid : RF_NO_ID;
        rf_cell_set_word(&row[3], "");
        if (nvtx->unit != RF_NO_STRING)
            rf_cell_set_model_string(&row[3], rec, nvtx->unit);
        row[4].count = counter->n_samples;
        set_number(&row[5], &f.min);
        row[6].real = mean_of(&integral, f.last.real);
        set_number(&row[7], &f.max);
        set_number(&row[8], &f.last);
        rf_cell_set_word(&row[9], rf_counter_is_weighed_by_time(counter) ? "time" : "samples");
    }
    rf_counter_integral_release(&integral);
    return row != NULL && rf_cell_set_range(&row[2], rec, nvtx->domain, counter->name);
}

static int sum_counters(const struct rf_report *report, const rf_recording *rec,
                        struct rf_table *table, struct rf_err *err)
{
    bool is_done = true;
    (void)report;
    (void)err;
    for (uint32_t i = 0; i < rf_n_counters(rec) && is_done; i++)
        if (rf_is_nvtx_counter(rf_counter_at(rec, i)))
            is_done = add_row(table, rec, rf_counter_at(rec, i));
    if (is_done && table->n_rows == 0)
        rf_table_add_note(table, "no program sampled a counter of NVTX");
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

const struct rf_report rf_report_nvtx_counter_sum = {
    .name = "nvtx_counter_sum",
    .description = "what the counters amount to that programs sampled with NVTX",
    .is_default = true,
    .needs = RF_NEEDS_NVTX_COUNTERS,
    .title = "NVTX Counter Summary",
    RF_REPORT_COLUMNS(columns),
    .compute = sum_counters,
};
