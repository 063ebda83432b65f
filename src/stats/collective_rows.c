/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/collective_rows.h"

#include <math.h>
#include <stdlib.h>

#include "stats/add_up.h"
#include "stats/group_by.h"
#include "stats/quantile_columns.h"

/* Rows of one kind, operation and communicator: n of them, by number and rank. */
struct group {
    const struct rf_collective *item;
    size_t n;
    uint64_t *value; /* room for a value of each */
    bool has_clock;  /* their starts can be compared */
};

/* How the ranks arrived: what was compared, and how far they were apart. */
struct arrivals {
    uint64_t n, total_ns, max_ns;
    uint64_t wait_ns, n_waits, transfer_ns; /* n_waits: ranks */
    int64_t *last; /* the rank that came last in each where not all came at once */
    size_t n_last;
};

static uint64_t duration_of(const struct rf_collective *item)
{
    return (uint64_t)item->end_ns - (uint64_t)item->start_ns;
}

static int by_name_number_rank(const void *a, const void *b)
{
    const struct rf_collective *x = a, *y = b;
    int order = rf_collective_compare_names(x, y);
    if (order == 0)
        order = (x->number > y->number) - (x->number < y->number);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    return order != 0 ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- Arrival ---- */

/* Who comes last has the shortest duration, and the others wait as long as theirs are longer. */
static void add_waits(struct arrivals *arrivals, const struct rf_collective *item, size_t n)
{
    uint64_t shortest = duration_of(item);
    for (size_t i = 1; i < n; i++)
        if (duration_of(&item[i]) < shortest)
            shortest = duration_of(&item[i]);
    for (size_t i = 0; i < n; i++)
        arrivals->wait_ns = rf_add_up(arrivals->wait_ns, duration_of(&item[i]) - shortest);
    arrivals->n_waits += n;
    arrivals->transfer_ns = rf_add_up(arrivals->transfer_ns, shortest);
}

/* The n instances of one number. They are of one operation where each rank has one of them. */
static void compare_ranks(struct arrivals *arrivals, const struct rf_collective *item, size_t n)
{
    const struct rf_collective *first = item, *last = item;
    if (n < 2 || item[0].rank < 0)
        return;
    for (size_t i = 1; i < n; i++) {
        if (item[i].rank == item[i - 1].rank)
            return;
        first = item[i].start_ns < first->start_ns ? &item[i] : first;
        last = item[i].start_ns > last->start_ns ? &item[i] : last;
    }
    const uint64_t spread = rf_add_up(0, (uint64_t)last->start_ns - (uint64_t)first->start_ns);
    if (spread > 0)
        arrivals->last[arrivals->n_last++] = last->rank;
    arrivals->n++;
    add_waits(arrivals, item, n);
    arrivals->total_ns = rf_add_up(arrivals->total_ns, spread);
    arrivals->max_ns = spread > arrivals->max_ns ? spread : arrivals->max_ns;
}

/* The rank that comes last most often, of several the lowest one. */
static void set_last(struct rf_cell *row, struct arrivals *arrivals)
{
    size_t most = 0;
    if (arrivals->n_last > 0)
        qsort(arrivals->last, arrivals->n_last, sizeof(*arrivals->last), by_value);
    for (size_t begin = 0, end = 0; begin < arrivals->n_last; begin = end) {
        while (end < arrivals->n_last && arrivals->last[end] == arrivals->last[begin])
            end++;
        if (end - begin <= most)
            continue;
        most = end - begin;
        row[RF_COLLECTIVE_LAST_RANK].time = arrivals->last[begin];
        row[RF_COLLECTIVE_TIMES_LAST].time = (int64_t)most;
    }
}

static void set_arrivals(struct rf_cell *row, const struct group *group)
{
    struct arrivals arrivals = {.last = (int64_t *)group->value};
    for (size_t begin = 0, end = 0; begin < group->n; begin = end) {
        while (end < group->n && group->item[end].number == group->item[begin].number)
            end++;
        compare_ranks(&arrivals, &group->item[begin], end - begin);
    }
    const bool has_any = arrivals.n > 0;
    const bool has_waits = has_any && rf_collective_waits(group->item->kind, group->item->operation,
                                                          group->item->operation_size);
    row[RF_COLLECTIVE_COMPARED].count = arrivals.n;
    const bool has_spread = has_any && group->has_clock;
    row[RF_COLLECTIVE_MEAN_SPREAD].real =
        has_spread ? (double)arrivals.total_ns / (double)arrivals.n : (double)NAN;
    row[RF_COLLECTIVE_MAX_SPREAD].time = has_spread ? (int64_t)arrivals.max_ns : RF_NO_TIME;
    row[RF_COLLECTIVE_MEAN_WAIT].real =
        has_waits ? (double)arrivals.wait_ns / (double)arrivals.n_waits : (double)NAN;
    row[RF_COLLECTIVE_MEAN_TRANSFER].real =
        has_waits ? (double)arrivals.transfer_ns / (double)arrivals.n : (double)NAN;
    row[RF_COLLECTIVE_LAST_RANK].time = row[RF_COLLECTIVE_TIMES_LAST].time = RF_NO_TIME;
    if (group->has_clock)
        set_last(row, &arrivals);
}

static uint64_t count_ranks(const struct group *group)
{
    uint64_t n = 0;
    int64_t *rank = (int64_t *)group->value;
    for (size_t i = 0; i < group->n; i++)
        rank[i] = group->item[i].rank;
    qsort(rank, group->n, sizeof(*rank), by_value);
    for (size_t i = 0; i < group->n; i++)
        n += rank[i] >= 0 && (i == 0 || rank[i] != rank[i - 1]);
    return n;
}

/* ---- Rows ---- */

static void set_bytes(struct rf_cell *row, const struct group *group)
{
    uint64_t bytes = 0, ns = 0;
    bool has_bytes = false;
    for (size_t i = 0; i < group->n; i++) {
        if (!group->item[i].has_bytes)
            continue;
        has_bytes = true;
        bytes = rf_add_up(bytes, group->item[i].bytes);
        ns = rf_add_up(ns, duration_of(&group->item[i]));
    }
    row[RF_COLLECTIVE_BYTES_SUM].time = has_bytes ? (int64_t)bytes : RF_NO_TIME;
    row[RF_COLLECTIVE_BANDWIDTH].real = ns > 0 ? (double)bytes / (double)ns * 1e9 : (double)NAN;
}

static void set_durations(const struct rf_table *table, struct rf_cell *row,
                          const struct group *group, double all_ns)
{
    uint64_t quantile[RF_MAX_QUANTILES];
    const struct rf_group of_group = {.quantile = quantile};
    struct rf_durations measured;
    for (size_t i = 0; i < group->n; i++)
        group->value[i] = duration_of(&group->item[i]);
    rf_durations_measure(&measured, group->value, group->n);
    rf_row_set_summary(row, &measured, group->n, all_ns);
    for (size_t q = 0; q < table->quantiles.n; q++)
        quantile[q] = rf_durations_rank(group->value, group->n,
                                        (size_t)rf_quantile_rank(&table->quantiles, q, group->n));
    rf_row_set_quantiles(table, row, 0, &of_group);
}

static bool add_row(struct rf_table *table, const struct group *group, double all_ns)
{
    const struct rf_collective *item = group->item;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_durations(table, row, group, all_ns);
    set_bytes(row, group);
    row[RF_COLLECTIVE_RANKS].count = count_ranks(group);
    set_arrivals(row, group);
    rf_cell_set_word(&row[RF_COLLECTIVE_KIND], rf_collective_kind_name(item->kind));
    row[RF_COLLECTIVE_COMMUNICATOR_ID].count =
        item->has_communicator ? item->communicator : RF_NO_ID;
    return rf_cell_set_text(&row[RF_COLLECTIVE_OPERATION], item->operation, item->operation_size);
}

int rf_collective_rows_add(struct rf_table *table, struct rf_collective *item, size_t n,
                           bool has_clock)
{
    uint64_t *value = malloc((n + 1) * sizeof(*value)), all_ns = 0;
    bool is_done = value != NULL;
    if (n > 0)
        qsort(item, n, sizeof(*item), by_name_number_rank);
    for (size_t i = 0; i < n; i++)
        all_ns = rf_add_up(all_ns, duration_of(&item[i]));
    for (size_t begin = 0, end = 0; begin < n && is_done; begin = end) {
        while (end < n && rf_collective_compare_names(&item[begin], &item[end]) == 0)
            end++;
        const struct group group = {&item[begin], end - begin, value, has_clock};
        is_done = add_row(table, &group, (double)all_ns);
    }
    free(value);
    if (is_done)
        rf_table_sort_by_total(table, RF_SUMMARY_TOTAL);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
