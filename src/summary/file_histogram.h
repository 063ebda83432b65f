/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as a text: rows of buckets would be most of a file. */
#ifndef RF_SUMMARY_FILE_HISTOGRAM_H
#define RF_SUMMARY_FILE_HISTOGRAM_H

#include "summary/file.h"

/* Writes the row of an owner, of two columns: its number, and the text. */
void rf_file_insert_histogram(struct rf_summary_file *file, sqlite3_stmt *insert, size_t number,
                              const struct rf_histogram *histogram);

/* The bytes of the text; 0 without a bucket. */
size_t rf_file_histogram_size(const struct rf_histogram *histogram);

/* Reads the text in column 1. */
void rf_file_read_histogram(struct rf_summary_file *file, sqlite3_stmt *row,
                            struct rf_histogram *histogram);

#endif
