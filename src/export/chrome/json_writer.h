/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write Chrome trace JSON share:
 *
 *     export_json.c       the frame: what is said about the trace, names of processes, counters
 *     json_tracks.c       lines, names, tracks and their lanes, slices
 *     json_nvtx.c         annotations of threads and of their categories
 *     json_scopes.c       annotations on tracks of the places where they were
 *     json_work.c         calls, the tracks of streams with their work, and the flows between them
 *     json_projection.c   ranges as the GPU saw them
 *     json_kineto.c       the flavor of PyTorch's profiler: its frame, ids and words
 *     json_kineto_work.c  args of calls and GPU work in that flavor; streams, with the ranges as
 * the GPU saw them */
#ifndef RF_EXPORT_CHROME_JSON_WRITER_H
#define RF_EXPORT_CHROME_JSON_WRITER_H

#include "export/export.h"
#include "export/export_shares.h"
#include "export/chrome/json_lanes.h"
#include "export/members.h"
#include "export/shown_ids.h"

struct json_kineto;

/* The args, by kind. */
struct json_members {
    struct rf_members call[RF_MAX_KINDS];
    struct rf_members op[RF_MAX_KINDS];
    struct rf_members event[RF_MAX_KINDS];
    struct rf_members range[RF_MAX_KINDS]; /* what ranges have besides */
};

/* Ranges over a piece of work, as they were written: the next work often lies under the same. */
struct json_ranges {
    uint32_t thread, owner;
    size_t size; /* 0: none were written, or they need more room */
    char text[512];
};

struct json_writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    struct rf_share *share;
    struct rf_sink *sink;    /* of the share */
    bool is_skipped;         /* another thread writes the items that come now */
    struct rf_shown_ids ids; /* tids: of first lanes */
    struct rf_lanes lanes;
    rf_projections *projections; /* NULL: there is no GPU work */
    struct json_kineto *kineto;  /* NULL: our own flavor */
    struct json_members *members;
    struct json_ranges ranges;
    int64_t base_ns; /* ts of the recording's time 0: viewers refuse times below 0 */
    /* The track that is being written: a thread, a stream, or the projections of a thread. Its
     * first lane has tid first_tid; 0: it is given one. */
    uint32_t pid; /* as the viewer is told */
    uint32_t first_tid;
    uint64_t sort_index;
    void (*put_track_name)(struct json_writer *to); /* as text inside quotes */
    uint64_t n_places; /* tracks so far: they are listed in the order in which they are written */
    uint32_t thread;
    const struct rf_event *category; /* an event of the category that the track is of */
    uint32_t stream;                 /* index of the struct rf_gpu_track */
    bool has_contexts;               /* its process uses several contexts on its device */
    uint64_t first_process;          /* place of the first one in the list of all inputs' */
    uint64_t first_flow;             /* flows of earlier inputs */
    bool has_line;
    bool has_args;    /* the event that is being written has some already */
    bool by_category; /* what has a category lies on a track of it */
    bool has_scopes;  /* of annotations, which are not on their threads' tracks then */
    uint32_t scope;   /* string: of which the track is, if it is that of a scope */
};

/* One stretch of time on a track. */
struct json_slice {
    const char *category;
    const void *item;                                           /* for the two functions */
    void (*put_name)(struct json_writer *to, const void *item); /* "name":"..." */
    void (*put_args)(struct json_writer *to, const void *item); /* ends the object */
    int64_t start_ns, end_ns;
};

#endif
