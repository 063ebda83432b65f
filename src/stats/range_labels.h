/* SPDX-License-Identifier: Apache-2.0 */
/* How reports name ranges, and which domains they count as the same one. */
#ifndef RF_STATS_RANGE_LABELS_H
#define RF_STATS_RANGE_LABELS_H

#include "model/sums/projected_sums.h"
#include "stats/table.h"

/* Sets a cell to "domain:message"; ":message" in the default domain, "message" in one that has no
 * name; "(null)" for a message that was not given. false: out of memory. */
bool rf_cell_set_range(struct rf_cell *cell, const rf_recording *rec, uint32_t domain,
                       uint32_t name);

/* Added to the kind of a range that ended on another thread and covers its whole process. */
#define RF_STYLE_BY_PROCESS RF_RANGES_BY_PROCESS

/* "PushPop", "StartEnd", "StartEnd (process)". */
const char *rf_range_style(uint32_t kind);

#endif
