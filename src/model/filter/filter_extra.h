/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_EXTRA_H
#define RF_MODEL_FILTER_FILTER_EXTRA_H

#include <stdbool.h>

#include "model/filter/filter.h"

/* process, thread, domain: the index in the result by the index in the source; RF_NO_INDEX: left
 * out. */

bool rf_filter_has_extra(const struct rf_filter *filter, const struct rf_extra *extra,
                         const uint32_t *process);
int rf_filter_copy_extras(const struct rf_filter *filter, const rf_recording *from,
                          rf_recording *to, const uint32_t *process, const uint32_t *thread);

bool rf_filter_has_counter(const struct rf_filter *filter, const struct rf_counter *counter,
                           const uint32_t *process);

struct rf_filter_places {
    const uint32_t *process, *thread, *domain;
};
int rf_filter_copy_counters(const struct rf_filter *filter, const rf_recording *from,
                            rf_recording *to, const struct rf_filter_places *places);

#endif
