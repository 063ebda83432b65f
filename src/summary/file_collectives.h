/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of collectives in the file of a summary. */
#ifndef RF_SUMMARY_FILE_COLLECTIVES_H
#define RF_SUMMARY_FILE_COLLECTIVES_H

#include "summary/file.h"

/* In this order. */
extern const struct rf_summary_table rf_table_collective_inputs;
extern const struct rf_summary_table rf_table_collective_series;
extern const struct rf_summary_table rf_table_collective_times;
extern const struct rf_summary_table rf_table_collectives_1; /* of version 1 */

#endif
