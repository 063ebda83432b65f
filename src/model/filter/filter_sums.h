/* SPDX-License-Identifier: Apache-2.0 */
/* The sums and numbers of a filtered recording whose source was summed up as it was read, by the
 * same filter. */
#ifndef RF_MODEL_FILTER_FILTER_SUMS_H
#define RF_MODEL_FILTER_FILTER_SUMS_H

#include <stdint.h>

#include "model/recording.h"

/* The sums, by the indices that processes and domains have in the result. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_filter_copy_sums(const rf_recording *from, rf_recording *to, const uint32_t *process,
                        const uint32_t *domain);

/* Those of the GPU work of ranges, when threads have their places. Likewise. */
int rf_filter_copy_projected(const rf_recording *from, rf_recording *to, const uint32_t *thread,
                             const uint32_t *domain);

/* Adds the numbers of what is not in memory to those of the result, whose events were counted. */
void rf_filter_add_counts(const rf_recording *from, rf_recording *to, const uint32_t *domain);

#endif
