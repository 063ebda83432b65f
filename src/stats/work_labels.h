/* SPDX-License-Identifier: Apache-2.0 */
/* How reports name calls and GPU work; see also work_names.h. */
#ifndef RF_STATS_WORK_LABELS_H
#define RF_STATS_WORK_LABELS_H

#include "stats/table.h"
#include "summary/work_names.h"

/* A function's name without the ending _vNNNN. */
void rf_cell_set_function(struct rf_cell *cell, const rf_recording *rec, uint32_t name);

#endif
