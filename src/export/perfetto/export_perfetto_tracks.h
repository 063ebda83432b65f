/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks, and ranges that nest on them. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TRACKS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TRACKS_H

#include "export/perfetto/export_perfetto.h"

/* All processes and threads, whose tracks have fixed uuids. */
void pf_describe_processes(struct pf_writer *to);

/* Describes a track, which gets the next uuid. */
uint64_t pf_describe(struct pf_writer *to, uint64_t parent, const struct pf_track_name *name);

/* Makes a track, with what it has of memory, one without lanes. */
void pf_track_begin(struct pf_track *track, uint64_t parent, const struct pf_track_name *name);

/* The uuid to put a range on which begins now: ranges come by start, enclosing ones first. Writes
 * the ends of those that are over. 0 on failure, which is in to->status. */
uint64_t pf_track_place(struct pf_writer *to, struct pf_track *track, int64_t start_ns,
                        int64_t end_ns);
/* Its first lane, for what lies below. 0 on failure. */
uint64_t pf_track_uuid(struct pf_writer *to, struct pf_track *track);
/* The uuid for what has no duration. */
uint64_t pf_track_instant(struct pf_writer *to, struct pf_track *track, int64_t at_ns);
/* Writes the ends that are left. */
void pf_track_finish(struct pf_writer *to, struct pf_track *track);
void pf_track_release(struct pf_track *track);

/* The array of *capacity elements with more of them, which are zero. NULL where there is no memory:
 * then it is unchanged. */
void *pf_grow_zeroed(void *array, uint32_t *capacity, size_t size);

static inline uint64_t pf_process_uuid(uint32_t process)
{
    return (uint64_t)process + 1;
}

static inline uint64_t pf_thread_uuid(const struct pf_writer *to, uint32_t thread)
{
    return (uint64_t)rf_n_processes(to->rec) + thread + 1;
}

#endif
