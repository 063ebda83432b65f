/* SPDX-License-Identifier: Apache-2.0 */
/* Where it lies that something is slower: which range in it has most of what it takes longer. */
#ifndef RF_STATS_COMPARE_CARRIER_H
#define RF_STATS_COMPARE_CARRIER_H

#include "stats/compare/compare_judge.h"

/* Fills carrier, carried and is_part of the times that are slower; they are in their order. RF_OK
 * or RF_ERR_NO_MEMORY. */
int rf_compare_find_carriers(struct rf_compare_judgement *judgement,
                             const struct rf_compare_judging *from);

#endif
