/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary/file_values.h"

#define LONGEST_NUMBER 20 /* digits */

/* ---- Writing ---- */

static size_t put_number(char *to, uint64_t number, char before)
{
    return (size_t)sprintf(to, "%c%llu", before, (unsigned long long)number);
}

/* [bucket, n, step to the next bucket, n, ...]; NULL: out of memory. */
static char *text_of(const struct rf_histogram *histogram)
{
    char *text = malloc(histogram->n * 2 * (LONGEST_NUMBER + 1) + sizeof("]"));
    size_t size = 0;
    uint32_t before = 0;
    for (size_t k = 0; k < histogram->n && text != NULL; k++) {
        const struct rf_bucket *bucket = &histogram->bucket[k];
        size += put_number(text + size, bucket->bucket - before, k == 0 ? '[' : ',');
        size += put_number(text + size, bucket->n, ',');
        before = bucket->bucket;
    }
    if (text != NULL)
        memcpy(text + size, "]", sizeof("]"));
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
    if (*c != before || c[1] < '0' || c[1] > '9')
        return false;
    for (*number = 0, c++; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(*number, (int64_t)10, number) ||
            __builtin_add_overflow(*number, (int64_t)(*c - '0'), number))
            return false;
    *at = c;
    return true;
}

void rf_file_read_histogram(struct rf_summary_file *file, sqlite3_stmt *row,
                            struct rf_histogram *histogram)
{
    const char *text = rf_file_text(file, row, 1), *at = text;
    const size_t size = file->status == RF_OK ? (size_t)sqlite3_column_bytes(row, 1) : 0;
    int64_t bucket = 0, step, n;
    while (file->status == RF_OK && take_number(&at, at == text ? '[' : ',', &step)) {
        if (!take_number(&at, ',', &n) || n < 1 || __builtin_add_overflow(bucket, step, &bucket)) {
            rf_summary_file_damaged(file, "a histogram");
            return;
        }
        rf_file_add_bucket(file, histogram, bucket, n);
    }
    if (at == text || at[0] != ']' || (size_t)(at + 1 - text) != size)
        rf_summary_file_damaged(file, "a histogram");
}
