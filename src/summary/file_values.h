/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a row of a summary's file. What is not of its type sets the error of the file. */
#ifndef RF_SUMMARY_FILE_VALUES_H
#define RF_SUMMARY_FILE_VALUES_H

#include "summary/file.h"

/* A number that has to be there, from low on. */
int64_t rf_file_number(struct rf_summary_file *file, sqlite3_stmt *row, int column, int64_t low);

/* A text that has to be there; "" after an error. */
const char *rf_file_text(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* The string of a text; RF_NO_STRING where it is NULL. */
uint32_t rf_file_string(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* Binds a string of the summary that is written; NULL for one that has no text. */
void rf_file_bind_string(const struct rf_summary_file *file, sqlite3_stmt *insert, int i,
                         uint32_t string);

#endif
