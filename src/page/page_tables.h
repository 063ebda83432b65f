/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `rangefinder stats` that the page shows. */
#ifndef RF_PAGE_PAGE_TABLES_H
#define RF_PAGE_PAGE_TABLES_H

#include "base/sink.h"
#include "summary/summary_data.h"

/* Writes a table over the ranks that are the inputs of a summary. Returns RF_OK or an error of the
 * report. */
int rf_page_table_put(const char *name, const rf_summary *summary, struct rf_sink *sink,
                      struct rf_err *err);

/* Writes those for which there is data. rec: where summaries have not what a table shows; NULL: it
 * is left out. Returns RF_OK or an error of a report. */
int rf_page_tables_put(const rf_summary *summary, uint32_t input, const rf_recording *rec,
                       struct rf_sink *sink, struct rf_err *err);

#endif
