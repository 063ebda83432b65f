/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/sums/range_sums.h"

/* ---- Medians ---- */

/* The value of rank k, from 0: those of a bucket are taken to lie evenly in it. */
static double value_of_rank(const struct rf_summary_row *row, uint64_t k)
{
    const struct rf_histogram *histogram = &row->histogram;
    for (size_t i = 0; i < histogram->n; i++) {
        const struct rf_bucket *bucket = &histogram->bucket[i];
        if (k >= bucket->n) {
            k -= bucket->n;
            continue;
        }
        const uint32_t octave = bucket->bucket / RF_SUM_STEPS;
        const double middle = (double)rf_bucket_middle(bucket->bucket);
        if (octave <= 1) /* a bucket of one value */
            return middle;
        const double width = ldexp(1, (int)octave - 1);
        return middle + width * (((double)k + 0.5) / (double)bucket->n - 0.5);
    }
    return (double)row->max.value;
}

double rf_compare_median(const struct rf_summary_row *row)
{
    const double least = (double)row->min.value, most = (double)row->max.value;
    double middle;
    if (row->n <= 2) {
        middle = (double)row->total / (double)(row->n > 0 ? row->n : 1);
    } else if (row->n <= 4) { /* what is left without both ends */
        middle = ((double)row->total - least - most) / (double)(row->n - 2);
    } else {
        middle = value_of_rank(row, row->n / 2);
        if (row->n % 2 == 0)
            middle = middle / 2 + value_of_rank(row, row->n / 2 - 1) / 2;
    }
    return middle < least ? least : middle > most ? most : middle;
}

/* ---- What a range has of another one ---- */

#define MAX_POINTS 32 /* more of them are close to the mean */
#define IS_THERE   0.5

/* Where each range around has n of a name, they differ as all of them do: the shortest of n is
 * about the median of the shortest nth of all, and so on. Of one it is the median of all, which
 * rare long ones do not change. */
double rf_compare_typical_time(const struct rf_summary_row *row, uint64_t n_around)
{
    const double n = n_around > 0 ? (double)row->n / (double)n_around : 0;
    const uint64_t n_points = n < 1.5 ? 1 : n > MAX_POINTS ? MAX_POINTS : (uint64_t)(n + 0.5);
    double sum = 0;
    if (n < IS_THERE)
        return 0;
    if (n_points == 1)
        return (n > 1 ? n : 1) * rf_compare_median(row);
    for (uint64_t i = 0; i < n_points; i++) {
        const double place = ((double)i + 0.5) / (double)n_points;
        sum += value_of_rank(row, (uint64_t)(place * (double)row->n));
    }
    return n * sum / (double)n_points;
}

/* ---- Rows of the summary, by item, kind and run ---- */

struct place {
    uint32_t item, kind, run, row;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const uint32_t values[][2] = {
        {x->item, y->item}, {x->kind, y->kind}, {x->run, y->run}, {x->row, y->row}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i][0] != values[i][1])
            return values[i][0] < values[i][1] ? -1 : 1;
    return 0;
}

static bool is_same_cell(const struct place *a, const struct place *b)
{
    return a->item == b->item && a->kind == b->kind && a->run == b->run;
}

static struct rf_compare_value value_of(const struct rf_summary_row *row)
{
    return (struct rf_compare_value){row->n,     row->total, rf_compare_median(row),
                                     row->n_gpu, row,        false};
}

static void free_sum(struct rf_summary_row *sum)
{
    rf_histogram_release(&sum->histogram);
    free(sum);
}

/* Adds up n rows of one cell. */
static int add_up(struct rf_compare_value *value, const rf_summary *summary,
                  const struct place *place, size_t n)
{
    const struct rf_summary_row *row = &summary->row[place[0].row];
    struct rf_summary_row *sum = n > 1 ? calloc(1, sizeof(*sum)) : NULL;
    if (n > 1 && sum == NULL)
        return RF_ERR_NO_MEMORY;
    int status = RF_OK;
    for (size_t i = 0; i < n && n > 1 && status == RF_OK; i++)
        status = rf_summary_row_merge(sum, &summary->row[place[i].row]);
    if (status == RF_OK) {
        *value = value_of(n > 1 ? sum : row);
        value->is_own = n > 1;
    } else if (sum != NULL) {
        free_sum(sum);
    }
    return status;
}

/* The place of the values of a new row, all 0; SIZE_MAX: out of memory. */
static size_t add_values(struct rf_compare_rows *rows, size_t n)
{
    while (rows->values_room < rows->n_values + n)
        if (rf_grow_array_now(&rows->value, &rows->values_room, sizeof(*rows->value)) != RF_OK)
            return SIZE_MAX;
    memset(&rows->value[rows->n_values], 0, n * sizeof(*rows->value));
    rows->n_values += n;
    return rows->n_values - n;
}

static int add_row(struct rf_compare_rows *rows, const struct place *place, size_t n_runs)
{
    const struct rf_compare_row row = {place->item, place->kind, add_values(rows, n_runs)};
    if (row.first == SIZE_MAX ||
        rf_grow_array(&rows->row, rows->n, &rows->room, sizeof(row)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rows->row[rows->n++] = row;
    return RF_OK;
}

static int add_cells(struct rf_compare_rows *rows, const rf_summary *summary, size_t n_runs,
                     const struct place *place, size_t n)
{
    int status = RF_OK;
    for (size_t begin = 0, end; begin < n && status == RF_OK; begin = end) {
        const struct place *cell = &place[begin];
        for (end = begin + 1; end < n && is_same_cell(cell, &place[end]);)
            end++;
        const struct rf_compare_row *last = rows->n > 0 ? &rows->row[rows->n - 1] : NULL;
        if (last == NULL || last->item != cell->item || last->kind != cell->kind)
            status = add_row(rows, cell, n_runs);
        if (status == RF_OK)
            status = add_up(&rows->value[rows->row[rows->n - 1].first + cell->run], summary, cell,
                            end - begin);
    }
    return status;
}

/* ---- Steps ---- */

static int add_steps(struct rf_compare_rows *rows, const rf_summary *summary,
                     const struct rf_compare_items *items, const struct rf_compare_runs *runs)
{
    struct rf_summary_row *sum = calloc(runs->n + 1, sizeof(*sum));
    int status = sum != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    rows->step_sum = sum;
    rows->n_step_sums = sum != NULL ? runs->n : 0;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++) {
        const struct rf_summary_row *row = &summary->row[i];
        const bool is_range = row->kind == RF_SUMMARY_PUSH_POP || row->kind == RF_SUMMARY_START_END;
        if (is_range && items->item[items->of_path[row->path]].is_step)
            status = rf_summary_row_merge(&sum[runs->of_input[row->input]], row);
    }
    rows->has_steps = runs->n > 0;
    for (size_t r = 0; r < runs->n && status == RF_OK; r++) {
        rows->has_steps &= sum[r].n > 0;
        rows->step[r] = value_of(&sum[r]);
    }
    return status;
}

int rf_compare_rows_make(struct rf_compare_rows *rows, const rf_summary *summary,
                         const struct rf_compare_items *items, const struct rf_compare_runs *runs)
{
    struct place *place = malloc((summary->n_rows + 1) * sizeof(*place));
    size_t n = 0;
    rows->step = calloc(runs->n + 1, sizeof(*rows->step));
    int status = place != NULL && rows->step != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++) {
        const struct rf_summary_row *row = &summary->row[i];
        const uint32_t item = items->of_path[row->path];
        if (row->n > 0 && items->item[item].name != RF_REST_OF_NAMES)
            place[n++] = (struct place){item, row->kind, runs->of_input[row->input], (uint32_t)i};
    }
    if (status == RF_OK) {
        qsort(place, n, sizeof(*place), compare_places);
        status = add_cells(rows, summary, runs->n, place, n);
    }
    if (status == RF_OK)
        status = add_steps(rows, summary, items, runs);
    free(place);
    return status;
}

void rf_compare_rows_release(struct rf_compare_rows *rows)
{
    for (size_t i = 0; i < rows->n_values; i++)
        if (rows->value[i].is_own)
            free_sum((struct rf_summary_row *)rows->value[i].row);
    for (size_t r = 0; r < rows->n_step_sums; r++)
        rf_histogram_release(&rows->step_sum[r].histogram);
    free(rows->row);
    free(rows->value);
    free(rows->step);
    free(rows->step_sum);
    *rows = (struct rf_compare_rows){.n = 0};
}
