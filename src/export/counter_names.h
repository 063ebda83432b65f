/* SPDX-License-Identifier: Apache-2.0 */
/* What viewers are to call counters: they take two of one name, of one GPU or process, for one. */
#ifndef RF_EXPORT_COUNTER_NAMES_H
#define RF_EXPORT_COUNTER_NAMES_H

#include <stdbool.h>

#include "export/shown_fields.h"

/* Where the counters of the same GPU and process as the first end. *has_sets: they were sampled
 * with several sets, which then are part of their names, as in "NAME (SET)". */
uint32_t rf_counters_end(const rf_recording *rec, uint32_t first, bool *has_sets);

/* What viewers are to see before and behind the name of a counter of NVTX, as strings;
 * RF_NO_STRING: nothing. The domain, unless it is the default one; the scope, unless it is the
 * process or a thread. */
uint32_t rf_counter_domain(const rf_recording *rec, const struct rf_counter *counter);
uint32_t rf_counter_scope(const rf_recording *rec, const struct rf_counter *counter);

/* "DOMAIN:NAME (thread 12) (SCOPE)", or "NAME (SET)". */
void rf_sink_counter_name(struct rf_sink *sink, const rf_recording *rec,
                          const struct rf_counter *counter, bool has_sets,
                          rf_sink_string_fn *put_string);

#endif
