/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work while it is loaded: its tracks as they are met, then its final order, and the lists of
 * what each call caused. */
#ifndef RF_MODEL_GPU_GPU_ORDER_H
#define RF_MODEL_GPU_GPU_ORDER_H

#include "base/map.h"
#include "rangefinder/rangefinder.h"

struct rf_track_finder {
    struct rf_map group; /* (process, device; context, green context) */
    struct rf_map track; /* (group, stream) to rec->track */
    uint32_t n_groups;
    size_t room;
    uint32_t last; /* found last, or RF_NO_INDEX */
};

void rf_track_finder_init(struct rf_track_finder *finder);
void rf_track_finder_release(struct rf_track_finder *finder);

/* The index of a track of rec, to which it is added if it is new; RF_NO_INDEX: out of memory. */
uint32_t rf_find_track(struct rf_track_finder *finder, rf_recording *rec,
                       const struct rf_gpu_track *track);

/* Sorts the tracks, and the work of each by start, the longest first. Returns 0 or
 * RF_ERR_NO_MEMORY. Tracks that were found have other indices then. */
int rf_order_gpu_work(rf_recording *rec);

/* Steps of it: sorts the tracks, which may lose what they say of their work, place: the new index
 * of each; and the work of each track, which stands together already. Return 0 or RF_ERR_NO_MEMORY.
 */
int rf_sort_tracks(rf_recording *rec, uint32_t *place);
int rf_sort_grouped_ops(rf_recording *rec);

/* Makes the list of the work of every call, by the thread and call that each piece names. Waits are
 * not work: they know their call, and are in no list. */
void rf_link_gpu_work(rf_recording *rec);

#endif
