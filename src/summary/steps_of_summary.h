/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an input of a summary, as those of a recording. */
#ifndef RF_SUMMARY_STEPS_OF_SUMMARY_H
#define RF_SUMMARY_STEPS_OF_SUMMARY_H

#include "summary/steps.h"
#include "summary/summary_data.h"

/* Fills the steps of an input, by thread and start. Their `event` is the place in summary->step,
 * their `thread` a number from 0 on; domain and name of a key are strings of the summary. Returns
 * RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_steps_of_summary(struct rf_steps *steps, const rf_summary *summary, uint32_t input);

#endif
