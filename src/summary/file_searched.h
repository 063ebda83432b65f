/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the tables that say in how many recordings something was looked for: input,
 * n_searched, n_left_out. */
#ifndef RF_SUMMARY_FILE_SEARCHED_H
#define RF_SUMMARY_FILE_SEARCHED_H

#include "summary/file.h"

void rf_file_write_searched(struct rf_summary_file *file, sqlite3_stmt *insert,
                            const struct rf_searched_inputs *from);

/* what: a row of the table, as an error names it. */
void rf_file_read_searched(struct rf_summary_file *file, sqlite3_stmt *row,
                           struct rf_searched_inputs *to, const char *what);

#endif
