/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of counters in the file of a summary. */
#ifndef RF_SUMMARY_FILE_COUNTERS_H
#define RF_SUMMARY_FILE_COUNTERS_H

#include "summary/file.h"

/* In the order of a file. */
extern const struct rf_summary_table rf_table_counter_inputs;
extern const struct rf_summary_table rf_table_counters;
extern const struct rf_summary_table rf_table_counter_digits;

/* When all is read: no counter comes twice, and there are values with each sum. */
void rf_file_check_counters(struct rf_summary_file *file);

#endif
