/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary/file_values.h"

#define LONGEST_NUMBER 20 /* digits */

/* ---- Writing ---- */

/* [-empty buckets, n of the next bucket, n of the one behind it, ...]; the bytes without the 0
 * behind them. to: NULL, or room for them all. */
static size_t put_text(const struct rf_histogram *histogram, char *to)
{
    char list[2 * (LONGEST_NUMBER + 2) + 1];
    size_t size = 0;
    uint32_t next = 0;
    for (size_t k = 0; k < histogram->n; k++) {
        const struct rf_bucket *bucket = &histogram->bucket[k];
        const char before = k == 0 ? '[' : ',';
        const unsigned long long n = bucket->n;
        const size_t n_put = (size_t)(bucket->bucket > next ? sprintf(list, "%c-%u,%llu", before,
                                                                      bucket->bucket - next, n)
                                                            : sprintf(list, "%c%llu", before, n));
        if (to != NULL)
            memcpy(to + size, list, n_put);
        size += n_put;
        next = bucket->bucket + 1;
    }
    if (to != NULL)
        memcpy(to + size, "]", sizeof("]"));
    return size + 1;
}

size_t rf_file_histogram_size(const struct rf_histogram *histogram)
{
    return histogram->n > 0 ? put_text(histogram, NULL) : 0;
}

/* NULL: out of memory. */
static char *text_of(const struct rf_histogram *histogram)
{
    char *text = malloc(put_text(histogram, NULL) + 1);
    if (text != NULL)
        (void)put_text(histogram, text);
    return text;
}

void rf_file_insert_histogram(struct rf_summary_file *file, sqlite3_stmt *insert, size_t number,
                              const struct rf_histogram *histogram)
{
    char *text = text_of(histogram);
    if (text == NULL) {
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
        return;
    }
    (void)sqlite3_bind_int64(insert, 1, (int64_t)number);
    (void)sqlite3_bind_text(insert, 2, text, -1, free);
    rf_summary_file_insert(file, insert);
}

/* ---- Reading ---- */

/* Reads a number of a list, and goes behind it. */
static bool take_number(const char **at, char before, int64_t *number)
{
    const char *c = *at;
    if (*c++ != before)
        return false;
    const bool is_below_0 = *c == '-';
    c += is_below_0;
    if (*c < '0' || *c > '9')
        return false;
    for (*number = 0; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(*number, (int64_t)10, number) ||
            __builtin_add_overflow(*number, (int64_t)(*c - '0'), number))
            return false;
    *number = is_below_0 ? -*number : *number;
    *at = c;
    return true;
}

void rf_file_read_histogram(struct rf_summary_file *file, sqlite3_stmt *row,
                            struct rf_histogram *histogram)
{
    const char *text = rf_file_text(file, row, 1), *at = text;
    const size_t size = file->status == RF_OK ? (size_t)sqlite3_column_bytes(row, 1) : 0;
    int64_t bucket = 0, n;
    while (file->status == RF_OK && take_number(&at, at == text ? '[' : ',', &n)) {
        const int64_t n_empty = n < 0 ? -n : 0;
        if ((n_empty > 0 && !take_number(&at, ',', &n)) || n < 1 ||
            __builtin_add_overflow(bucket, n_empty, &bucket)) {
            rf_summary_file_damaged(file, "a histogram");
            return;
        }
        rf_file_add_bucket(file, histogram, bucket, n);
        bucket += file->status == RF_OK; /* it was a bucket */
    }
    if (at == text || at[0] != ']' || (size_t)(at + 1 - text) != size)
        rf_summary_file_damaged(file, "a histogram");
}
