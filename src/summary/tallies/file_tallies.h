/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of tallies in a summary's file. */
#ifndef RF_SUMMARY_TALLIES_FILE_TALLIES_H
#define RF_SUMMARY_TALLIES_FILE_TALLIES_H

#include "summary/file.h"

/* In the order of a file. */
extern const struct rf_summary_table rf_table_tally_inputs;
extern const struct rf_summary_table rf_table_tally_texts;
extern const struct rf_summary_table rf_table_tallies;
extern const struct rf_summary_table rf_table_tally_histograms;
extern const struct rf_summary_table rf_table_tally_buckets;

/* Binds a string of the summary that is written as the number of its text; NULL for one that has no
 * text. It is one of a tally, or of a counter in ranges. */
void rf_file_bind_tally_text(const struct rf_summary_file *file, sqlite3_stmt *insert, int i,
                             uint32_t string);

/* The string of a number; RF_NO_STRING for NULL. */
uint32_t rf_file_tally_text(struct rf_summary_file *file, sqlite3_stmt *row, int column);

/* When all is read: whether the buckets of each tally hold its values. */
void rf_file_check_tallies(struct rf_summary_file *file);

#endif
