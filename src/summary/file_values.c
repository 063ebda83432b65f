/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_values.h"

#include "base/error.h"
#include "model/sums/range_sums.h"

#define LOW_MASK  (((unsigned __int128)1 << RF_SQUARES_LOW) - 1)
#define N_BUCKETS (RF_SUM_OCTAVES * RF_SUM_STEPS)

/* ---- Errors ---- */

void rf_summary_file_damaged(struct rf_summary_file *file, const char *what)
{
    if (file->status == RF_OK)
        file->status = rf_fail(file->err, RF_ERR_DAMAGED,
                               "'%s' is a damaged summary: %s is not what can stand there",
                               file->path, what != NULL ? what : "a value");
}

void rf_summary_file_fail(struct rf_summary_file *file, int status)
{
    if (status != RF_OK && file->status == RF_OK)
        file->status = rf_summary_fail(status, file->path, file->err);
}

void rf_summary_file_fail_database(struct rf_summary_file *file, const char *verb)
{
    int code = file->db != NULL ? sqlite3_errcode(file->db) & 0xff : SQLITE_NOMEM;
    if (file->status != RF_OK)
        return;
    if (code == SQLITE_NOMEM)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ||
             code == SQLITE_INTERRUPT)
        file->status = rf_fail(file->err, RF_ERR_DAMAGED, "'%s' is a damaged summary: %s",
                               file->path, sqlite3_errmsg(file->db));
    else
        file->status = rf_fail(file->err, RF_ERR_IO, "cannot %s '%s': %s", verb, file->path,
                               sqlite3_errmsg(file->db));
}

/* ---- Values ---- */

void rf_summary_file_insert(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    if (file->status == RF_OK && sqlite3_step(insert) != SQLITE_DONE)
        rf_summary_file_fail_database(file, "write");
    (void)sqlite3_reset(insert);
}

int64_t rf_file_number(struct rf_summary_file *file, sqlite3_stmt *row, int column, int64_t low)
{
    /* one look instead of two; it may be used by the thread that has the connection */
    sqlite3_value *cell = sqlite3_column_value(row, column);
    int64_t value = sqlite3_value_int64(cell);
    if (sqlite3_value_type(cell) != SQLITE_INTEGER || value < low)
        rf_summary_file_damaged(file, sqlite3_column_name(row, column));
    return value < low ? low : value;
}

const char *rf_file_text(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    const char *value = NULL;
    if (sqlite3_column_type(row, column) == SQLITE_TEXT)
        value = (const char *)sqlite3_column_text(row, column);
    if (value == NULL)
        rf_summary_file_damaged(file, sqlite3_column_name(row, column));
    return value != NULL ? value : "";
}

uint32_t rf_file_string(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return RF_NO_STRING;
    const char *value = rf_file_text(file, row, column);
    if (file->status != RF_OK) /* a blob, say, whose size is not that of value */
        return RF_NO_STRING;
    uint32_t added =
        rf_strings_add(&file->summary->strings, value, (size_t)sqlite3_column_bytes(row, column));
    if (added == RF_NO_STRING)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    return added;
}

void rf_file_bind_string(const struct rf_summary_file *file, sqlite3_stmt *insert, int i,
                         uint32_t id)
{
    size_t size;
    const char *value = rf_summary_text(file->out, id, &size);
    (void)sqlite3_bind_text(insert, i, value, (int)(size < INT32_MAX ? size : INT32_MAX),
                            SQLITE_STATIC);
}

void rf_file_bind_squares(sqlite3_stmt *insert, int i, unsigned __int128 squares)
{
    (void)sqlite3_bind_int64(insert, i, (int64_t)(squares >> RF_SQUARES_LOW));
    (void)sqlite3_bind_int64(insert, i + 1, (int64_t)(squares & LOW_MASK));
}

unsigned __int128 rf_file_squares(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    const int64_t high = rf_file_number(file, row, column, 0),
                  low = rf_file_number(file, row, column + 1, 0);
    if ((unsigned __int128)low > LOW_MASK)
        rf_summary_file_damaged(file, sqlite3_column_name(row, column + 1));
    return ((unsigned __int128)high << RF_SQUARES_LOW) + (unsigned __int128)low;
}

void rf_file_add_bucket(struct rf_summary_file *file, struct rf_histogram *histogram,
                        int64_t bucket, int64_t n)
{
    if (bucket >= N_BUCKETS)
        rf_summary_file_damaged(file, "a bucket");
    else if (histogram->n > 0 && histogram->bucket[histogram->n - 1].bucket >= bucket)
        rf_summary_file_damaged(file, "a bucket that comes twice");
    else
        rf_summary_file_fail(file, rf_histogram_add(histogram, (uint32_t)bucket, (uint64_t)n));
}
