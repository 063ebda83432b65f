/* SPDX-License-Identifier: Apache-2.0 */
/* The one order of paths and rows: what is equal is written as the same bytes. */
#ifndef RF_SUMMARY_ORDER_H
#define RF_SUMMARY_ORDER_H

#include "summary/summary_data.h"

/* Fills an empty summary with the rows of another one: inputs as they stand there, paths by depth,
 * then by parent, domain and name, rows by input, path and kind, steps as
 * summary_steps.h says. Paths without rows or steps on or below them are left out. RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_summary_order(rf_summary *ordered, const rf_summary *summary);

#endif
