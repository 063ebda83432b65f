/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the counters of NVTX in ranges in the file of a summary. */
#ifndef RF_SUMMARY_FILE_COUNTER_RANGES_H
#define RF_SUMMARY_FILE_COUNTER_RANGES_H

#include "summary/file.h"

/* In the order of a file, behind those of tallies. */
extern const struct rf_summary_table rf_table_counter_ranges;
extern const struct rf_summary_table rf_table_counter_range_digits;

/* When all is read: none comes twice, and doubles can have each sum. */
void rf_file_check_counter_ranges(struct rf_summary_file *file);

#endif
