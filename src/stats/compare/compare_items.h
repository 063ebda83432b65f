/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are compared. */
#ifndef RF_STATS_COMPARE_ITEMS_H
#define RF_STATS_COMPARE_ITEMS_H

#include "stats/compare/compare_data.h"

/* Fills an empty list with the items of all paths. RF_OK or RF_ERR_NO_MEMORY; to be released either
 * way. */
int rf_compare_items_make(struct rf_compare_items *items, rf_summary *summary,
                          const struct rf_compare_step *step, bool fold_numbers);
void rf_compare_items_release(struct rf_compare_items *items);

/* "batch > load", in memory of malloc(); NULL: out of memory. */
char *rf_compare_item_name(const struct rf_compare_items *items, const rf_summary *summary,
                           uint32_t item);

/* "load", or "load@domain", likewise: as options name a range. */
char *rf_compare_item_range(const rf_summary *summary, uint32_t domain, uint32_t name);

#endif
