/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/row_data.h"

#include "model/sums/range_sums.h"
#include "rangefinder/rangefinder.h"

static int compare_places(const struct rf_summary_place *a, const struct rf_summary_place *b)
{
    if (a->start_utc_ns != b->start_utc_ns)
        return a->start_utc_ns < b->start_utc_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void take_places(struct rf_summary_row *row, const struct rf_summary_place *min,
                        const struct rf_summary_place *max)
{
    if (row->n == 0 || min->value < row->min.value ||
        (min->value == row->min.value && compare_places(min, &row->min) < 0))
        row->min = *min;
    if (row->n == 0 || max->value > row->max.value ||
        (max->value == row->max.value && compare_places(max, &row->max) < 0))
        row->max = *max;
}

static int add_totals(struct rf_summary_row *row, uint64_t n, uint64_t total,
                      unsigned __int128 squares)
{
    if (__builtin_add_overflow(row->squares, squares, &row->squares) ||
        __builtin_add_overflow(row->total, total, &row->total) ||
        __builtin_add_overflow(row->n, n, &row->n) || row->n > INT64_MAX ||
        row->total > INT64_MAX || row->squares >> (63 + RF_SQUARES_LOW) != 0)
        return RF_ERR_UNSUPPORTED;
    return RF_OK;
}

/* Adds to a sum of the row. */
static int add_to(uint64_t *sum, uint64_t value)
{
    return __builtin_add_overflow(*sum, value, sum) || *sum > INT64_MAX ? RF_ERR_UNSUPPORTED
                                                                        : RF_OK;
}

int rf_summary_row_add_self(struct rf_summary_row *row, uint64_t self)
{
    return add_to(&row->self, self);
}

int rf_summary_row_add_gpu(struct rf_summary_row *row, uint64_t n, uint64_t total)
{
    int status = add_to(&row->n_gpu, n);
    return status == RF_OK ? add_to(&row->gpu, total) : status;
}

int rf_summary_row_add(struct rf_summary_row *row, const struct rf_summary_place *value)
{
    take_places(row, value, value);
    int status = rf_histogram_add(&row->histogram, rf_bucket_of(value->value), 1);
    if (status != RF_OK)
        return status;
    return add_totals(row, 1, value->value, (unsigned __int128)value->value * value->value);
}

int rf_summary_row_add_times(struct rf_summary_row *row, uint64_t value, uint64_t n)
{
    const struct rf_summary_place place = {.value = value};
    uint64_t total;
    take_places(row, &place, &place);
    int status = rf_histogram_add(&row->histogram, rf_bucket_of(value), n);
    if (status == RF_OK && __builtin_mul_overflow(value, n, &total))
        status = RF_ERR_UNSUPPORTED;
    if (status != RF_OK)
        return status;
    return add_totals(row, n, total, (unsigned __int128)value * total);
}

int rf_summary_row_merge(struct rf_summary_row *row, const struct rf_summary_row *from)
{
    if (from->n == 0)
        return RF_OK;
    take_places(row, &from->min, &from->max);
    int status = rf_histogram_merge(&row->histogram, &from->histogram);
    if (status == RF_OK)
        status = add_totals(row, from->n, from->total, from->squares);
    if (status == RF_OK)
        status = rf_summary_row_add_self(row, from->self);
    return status == RF_OK ? rf_summary_row_add_gpu(row, from->n_gpu, from->gpu) : status;
}

bool rf_summary_row_is_possible(const struct rf_summary_row *row)
{
    const unsigned __int128 n = row->n, total = row->total;
    return row->min.value <= row->max.value && n * row->min.value <= total &&
           total <= n * row->max.value && row->squares >= total * total / n &&
           row->squares <= total * row->max.value;
}

bool rf_summary_row_has_buckets(const struct rf_summary_row *row)
{
    const struct rf_histogram *histogram = &row->histogram;
    unsigned __int128 n = 0;
    for (size_t i = 0; i < histogram->n; i++)
        n += histogram->bucket[i].n;
    return n == row->n &&
           (n == 0 || (histogram->bucket[0].bucket == rf_bucket_of(row->min.value) &&
                       histogram->bucket[histogram->n - 1].bucket == rf_bucket_of(row->max.value)));
}
