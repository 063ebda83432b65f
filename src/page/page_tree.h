/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges as an icicle, which page.js draws. */
#ifndef RF_PAGE_PAGE_TREE_H
#define RF_PAGE_PAGE_TREE_H

#include "base/sink.h"
#include "summary/summary_data.h"

/* Writes the section of the page. Returns RF_OK, RF_ERR_NO_MEMORY or RF_ERR_UNSUPPORTED (a sum is
 * too large). */
int rf_page_tree_put(const rf_summary *summary, uint32_t input, struct rf_sink *sink);

#endif
