/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of what a summary takes in its file. */
#ifndef RF_SUMMARY_SIZE_LIMIT_H
#define RF_SUMMARY_SIZE_LIMIT_H

#include "summary/summary_data.h"

/* Of a summary of one input that has more than max_kb for each of its processes: makes the
 * histograms of tallies coarser, then keeps fewer of these, then fewer paths. Each of both has half
 * at least. */
int rf_summary_fit(rf_summary *summary, const struct rf_summary_options *options,
                   struct rf_err *err);

#endif
