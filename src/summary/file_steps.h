/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of steps in the file of a summary. They stand behind inputs and paths, in this order.
 */
#ifndef RF_SUMMARY_FILE_STEPS_H
#define RF_SUMMARY_FILE_STEPS_H

#include "summary/file.h"

extern const struct rf_summary_table rf_table_step_inputs;
extern const struct rf_summary_table rf_table_step_threads;
extern const struct rf_summary_table rf_table_steps;
extern const struct rf_summary_table rf_table_step_children;
extern const struct rf_summary_table rf_table_step_gpus;

#endif
