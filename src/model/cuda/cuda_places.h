/* SPDX-License-Identifier: Apache-2.0 */
/* From the definitions of CUDA in a recording of our own (docs/format.md, section 9) to GPUs,
 * devices, contexts and streams of the model (gpu_places.h), with the names that the program gave
 * them. */
#ifndef RF_MODEL_CUDA_CUDA_PLACES_H
#define RF_MODEL_CUDA_CUDA_PLACES_H

#include <stdint.h>

#include "log/layout.h"
#include "base/map.h"
#include "rangefinder/rangefinder.h"

struct rf_load;

/* A GPU as one process knows it. */
struct rf_cuda_gpu {
    uint32_t process, device;
    struct rf_gpu gpu; /* without facts */
    uint32_t text;     /* string: all facts */
};

/* What a handle of the program meant from a time on. */
struct rf_cuda_object {
    uint32_t process, kind; /* enum rf_object */
    uint64_t handle;
    int64_t ns;
    uint32_t id;
    uint32_t context; /* that it is of; RF_NO_INDEX: unknown */
};

/* What definitions have said, until all are read. */
struct rf_cuda_places {
    struct rf_cuda_gpu *gpu;
    struct rf_map gpu_of; /* (process, device) to gpu[]: the last definition holds */
    struct rf_cuda_object *object;
    uint32_t n_gpus, n_objects;
    size_t gpu_room, object_room;
};

/* Takes a definition of the type RF_REC_CUDA_DEF whose kind is DEVICE, CONTEXT, STREAM or OBJECT;
 * others are passed over. text: string, its facts. Returns 0 or RF_ERR_NO_MEMORY. */
int rf_cuda_places_define(struct rf_load *load, uint32_t process, const struct rf_def *def,
                          uint32_t text, int64_t ns);

/* After all definitions: makes the GPUs and names what load->naming names. The rows of CUDA events
 * (rf_extra) get the names of their events where they are there already. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int rf_cuda_places_finish(struct rf_load *load);

void rf_cuda_places_release(struct rf_cuda_places *places);

#endif
