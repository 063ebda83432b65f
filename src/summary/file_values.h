/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of a summary's file, and the values of its rows. What is not of its type sets the
 * error. */
#ifndef RF_SUMMARY_FILE_VALUES_H
#define RF_SUMMARY_FILE_VALUES_H

#include "summary/file.h"

/* Set the first error: something in the file, a status of summary_data.h, or what the database
 * reports. verb: what could not be done. */
void rf_summary_file_damaged(struct rf_summary_file *file, const char *what);
void rf_summary_file_fail(struct rf_summary_file *file, int status);
void rf_summary_file_fail_database(struct rf_summary_file *file, const char *verb);

/* Writes the row whose values are bound. */
void rf_summary_file_insert(struct rf_summary_file *file, sqlite3_stmt *insert);

/* A number that has to be there, from low on; not below low after an error, either. */
int64_t rf_file_number(struct rf_summary_file *file, sqlite3_stmt *row, int column, int64_t low);

/* A text that has to be there; "" after an error. */
const char *rf_file_text(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* The string of a text; RF_NO_STRING where it is NULL. */
uint32_t rf_file_string(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* Binds a string of the summary that is written; NULL for one that has no text. */
void rf_file_bind_string(const struct rf_summary_file *file, sqlite3_stmt *insert, int i,
                         uint32_t string);

/* A sum of squares in two columns: the higher and the lower integer. */
void rf_file_bind_squares(sqlite3_stmt *insert, int i, unsigned __int128 squares);
unsigned __int128 rf_file_squares(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* Adds n values of a bucket, behind the last one of a histogram. */
void rf_file_add_bucket(struct rf_summary_file *file, struct rf_histogram *histogram,
                        int64_t bucket, int64_t n);

#endif
