/* SPDX-License-Identifier: Apache-2.0 */
/* Counters in the payloads of events: entries with the role of a counter. */
#ifndef RF_MODEL_NVTX_NVTX_ENTRIES_H
#define RF_MODEL_NVTX_NVTX_ENTRIES_H

#include "model/payload/payload_sets.h"

struct rf_load;

/* Whose payloads they are, and when they were given. */
struct rf_nvtx_moment {
    uint32_t process, domain; /* index */
    uint32_t thread;          /* in rf_load.thread */
    int64_t ns;
};

/* Makes samples of such entries in payloads whose schemas are known. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_nvtx_sample_payloads(struct rf_load *load, const struct rf_nvtx_moment *at,
                            const struct rf_payload_group *group);

#endif
