/* SPDX-License-Identifier: Apache-2.0 */
/* What viewers are to call counters: they take two of one name, of one GPU or process, for one. */
#ifndef RF_EXPORT_COUNTER_NAMES_H
#define RF_EXPORT_COUNTER_NAMES_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* Where the counters of the same GPU and process as the first end. *has_sets: they were sampled
 * with several sets, which then are part of their names, as in "NAME (SET)". */
uint32_t rf_counters_end(const rf_recording *rec, uint32_t first, bool *has_sets);

#endif
