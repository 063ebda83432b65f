/* SPDX-License-Identifier: Apache-2.0 */
/* Where GPU work runs, as the program sees it: devices, contexts and streams, and what is known of
 * them. A loader adds what it meets in any order and finishes once; a recording that nothing was
 * added to has none. */
#ifndef RF_MODEL_GPU_GPU_PLACES_H
#define RF_MODEL_GPU_GPU_PLACES_H

#include "rangefinder/rangefinder.h"

struct rf_gpu_places {
    struct rf_gpu_device *device;
    struct rf_gpu_context *context;
    struct rf_gpu_stream *stream;
    struct rf_gpu_fact *fact; /* of all GPUs, those of a GPU together */
    uint32_t n_devices, n_contexts, n_streams, n_facts;
    size_t device_room, context_room, stream_room, fact_room;
};

/* Each returns 0 or RF_ERR_NO_MEMORY. Of those that stand for the same, the last one holds, with
 * the last name that was given. */
int rf_gpu_places_add_device(struct rf_gpu_places *places, const struct rf_gpu_device *device);
int rf_gpu_places_add_context(struct rf_gpu_places *places, const struct rf_gpu_context *context);
int rf_gpu_places_add_stream(struct rf_gpu_places *places, const struct rf_gpu_stream *stream);

/* A fact of the GPU whose facts are the last ones: its first one begins them. */
int rf_gpu_places_add_fact(struct rf_gpu_places *places, struct rf_gpu *gpu,
                           const struct rf_gpu_fact *fact);

/* Sorts what was added, drops what was replaced, and gives streams their devices: before it nothing
 * can be found. Returns 0 or RF_ERR_NO_MEMORY. */
int rf_gpu_places_finish(struct rf_gpu_places *places);

void rf_gpu_places_release(struct rf_gpu_places *places);

/* ---- Names that the program gave: after rf_gpu_places_finish() ---- */

/* Names what was made known; anything else is passed over. */
void rf_gpu_places_name_device(struct rf_gpu_places *places, uint32_t process, uint32_t device,
                               uint32_t name);
void rf_gpu_places_name_stream(struct rf_gpu_places *places, uint32_t process, uint32_t context,
                               uint32_t stream, uint32_t name);

#endif
