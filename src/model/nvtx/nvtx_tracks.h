/* SPDX-License-Identifier: Apache-2.0 */
/* The counters that processes sample, and the tracks of their samples. */
#ifndef RF_MODEL_NVTX_NVTX_TRACKS_H
#define RF_MODEL_NVTX_NVTX_TRACKS_H

#include "model/nvtx/nvtx_load.h"

struct rf_load;
struct rf_payload_entry;

/* Where a sample came from. */
struct rf_nvtx_source {
    uint32_t process;
    uint32_t thread; /* in rf_load.thread, or RF_NO_INDEX */
    uint64_t domain; /* handle */
    uint64_t scope;  /* of what names none: of a stream of NVTXW; or 0 */
};

/* The counter of an id: its index; RF_NO_INDEX: it was not registered. *status is set when out of
 * memory. */
uint32_t rf_nvtx_find_counter(struct rf_load *load, const struct rf_nvtx_source *from, uint64_t id,
                              int *status);

/* The first of the tracks of a counter, one per entry of its layout, which has some. */
uint32_t rf_nvtx_find_tracks(struct rf_load *load, uint32_t counter, uint32_t thread, int *status);

/* The track of a counter of its own, of bytes that a heap has in use. name: a string */
uint32_t rf_nvtx_add_memory_track(struct rf_load *load, uint32_t domain, uint32_t name,
                                  int *status);

/* The counter that an entry of payloads of a domain is, by its name (a string): its index;
 * RF_NO_INDEX: it is no number. */
uint32_t rf_nvtx_find_entry(struct rf_load *load, uint32_t domain,
                            const struct rf_payload_entry *entry, uint32_t name, int *status);

/* Adds a sample to a track, unless it lies outside of the captures. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_nvtx_add_sample(struct rf_load *load, uint32_t track, const struct rf_nvtx_sample *sample);

/* Frees all that was read. */
void rf_nvtx_load_release(struct rf_nvtx_load *nvtx);

#endif
