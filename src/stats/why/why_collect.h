/* SPDX-License-Identifier: Apache-2.0 */
/* What instances of a range consist of. */
#ifndef RF_STATS_WHY_COLLECT_H
#define RF_STATS_WHY_COLLECT_H

#include "stats/why/why_instances.h"
#include "stats/why/why_store.h"

/* Adds the instances, those of the last input. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_why_collect(struct rf_why_store *store, const rf_recording *rec,
                   struct rf_why_instances *instances);

#endif
