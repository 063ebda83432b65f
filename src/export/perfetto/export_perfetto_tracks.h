/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks, and ranges that nest on them. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TRACKS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TRACKS_H

#include "export/perfetto/export_perfetto.h"

enum pf_descriptor_field {
    PF_TRACK_UUID = 1,
    PF_TRACK_NAME = 2,
    PF_TRACK_PROCESS = 3,
    PF_TRACK_THREAD = 4,
    PF_TRACK_PARENT = 5,
    PF_TRACK_CHILD_ORDERING = 11,
    PF_TRACK_RANK = 12,
    PF_TRACK_DESCRIPTION = 14,
};

/* A row of a track: the ranges on it nest, or, with pf_track_place_apart(), follow each other. */
struct pf_lane {
    uint64_t uuid;
    int64_t end_ns; /* of the only range that is open, with pf_track_place_apart() */
    int64_t *ends;  /* of the ranges that are open, the innermost last */
    size_t n, capacity;
};

struct pf_track_name {
    char text[64];
    uint32_t string;         /* follows the text; RF_NO_STRING: nothing does */
    uint32_t rank;           /* among those of the same parent */
    bool has_prefix;         /* of several inputs: "rank 3 @ host: " stands before it */
    uint32_t pid;            /* follows in parentheses, if it is not 0 */
    const char *description; /* or NULL */
};

struct pf_track {
    uint64_t parent;
    uint64_t first_uuid; /* of the first lane, where that is described already, or 0 */
    struct pf_track_name name;
    struct pf_lane *lanes;
    size_t n_lanes, capacity;
};

/* All processes and threads, whose tracks have fixed uuids. */
void pf_describe_processes(struct pf_writer *to);

/* Adds what stands before names of one input of several to to->words; process: RF_NO_INDEX for what
 * belongs to none. */
void pf_sink_prefix(struct pf_writer *to, uint32_t process);

/* Adds the name that a thread has in the trace to to->words. */
void pf_sink_thread_name(struct pf_writer *to, uint32_t thread);

/* Adds the name of a track below them to to->words. */
void pf_sink_track_name(struct pf_writer *to, const struct pf_track_name *name);

/* Describes a track, which gets the next uuid. */
uint64_t pf_describe(struct pf_writer *to, uint64_t parent, const struct pf_track_name *name);

/* A track without lanes. */
void pf_track_begin(struct pf_track *track, uint64_t parent, const struct pf_track_name *name);

/* The uuid to put a range on which begins now: ranges come by start, enclosing ones first. Writes
 * the ends of those that are over. 0 on failure, which is in to->status. */
uint64_t pf_track_place(struct pf_writer *to, struct pf_track *track, int64_t start_ns,
                        int64_t end_ns);
/* The same where no range may lie inside another one. A track is used with one of both. */
uint64_t pf_track_place_apart(struct pf_writer *to, struct pf_track *track, int64_t start_ns,
                              int64_t end_ns);
/* The lane described first, for what lies below. 0 on failure. */
uint64_t pf_track_uuid(struct pf_writer *to, struct pf_track *track);
/* The uuid for what has no duration. */
uint64_t pf_track_instant(struct pf_writer *to, struct pf_track *track, int64_t at_ns);
/* Writes the ends that are left, and frees what the track has. Harmless on a zeroed struct. */
void pf_track_finish(struct pf_writer *to, struct pf_track *track);

static inline uint64_t pf_process_uuid(const struct pf_writer *to, uint32_t process)
{
    return to->first_uuid + process;
}

static inline uint64_t pf_thread_uuid(const struct pf_writer *to, uint32_t thread)
{
    return to->first_uuid + rf_n_processes(to->rec) + thread;
}

#endif
