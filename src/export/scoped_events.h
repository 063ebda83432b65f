/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges and marks whose payloads say that they were elsewhere than on a thread: viewers have them
 * on tracks of those places. */
#ifndef RF_EXPORT_SCOPED_EVENTS_H
#define RF_EXPORT_SCOPED_EVENTS_H

#include <stdbool.h>

#include "model/private_access.h"

struct rf_scoped_event {
    const struct rf_event *event;
    uint32_t process, thread; /* index */
    uint32_t scope;           /* string */
    bool has_category;        /* and that has a track */
};

struct rf_scoped_events {
    struct rf_scoped_event *event;
    size_t n, room;
};

/* Finds them all, track by track, and those of a track by start; what encloses goes first. A track
 * is one of a process and a scope, and, with by_category, of a category of a domain where an event
 * has one. Returns 0 or RF_ERR_NO_MEMORY; the caller frees event in both cases. */
int rf_find_scoped_events(const rf_recording *rec, bool by_category, struct rf_scoped_events *out);

/* The end of the track that begins at event i. */
size_t rf_scoped_track_end(const struct rf_scoped_events *scoped, size_t i);

#endif
