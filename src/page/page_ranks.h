/* SPDX-License-Identifier: Apache-2.0 */
/* The section of the page about the ranks of a job. */
#ifndef RF_PAGE_PAGE_RANKS_H
#define RF_PAGE_PAGE_RANKS_H

#include "base/sink.h"
#include "summary/summary_data.h"

/* Writes maps of the ranks and the tables about them, if the inputs are several ranks. Returns
 * RF_OK or an error of a report. */
int rf_page_ranks_put(const rf_summary *summary, struct rf_sink *sink, struct rf_err *err);

#endif
