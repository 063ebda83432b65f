/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write Chrome trace JSON share:
 *
 *     export_json.c       the frame: what is said about the trace, names of processes
 *     json_tracks.c       lines, tracks and their lanes, slices
 *     json_nvtx.c         annotations
 *     json_categories.c   the same on tracks of their categories
 *     json_work.c         calls, GPU work, and the flows between them
 *     json_streams.c      the tracks of streams
 *     json_projection.c   ranges as the GPU saw them
 *     json_counters.c     counters
 *     json_kineto.c       the flavor of PyTorch's profiler: its frame, ids and words
 *     json_kineto_work.c  args of calls and GPU work in that flavor
 *     json_annotations.c  ranges as the GPU saw them, in that flavor */
#ifndef RF_EXPORT_CHROME_JSON_WRITER_H
#define RF_EXPORT_CHROME_JSON_WRITER_H

#include "export/export.h"
#include "export/chrome/json_lanes.h"
#include "export/members.h"

struct json_kineto;

/* The args of calls and GPU work, by kind. */
struct json_members {
    struct rf_members call[RF_MAX_KINDS];
    struct rf_members op[RF_MAX_KINDS];
    struct rf_members event[RF_MAX_KINDS]; /* of those that are moments of a thread */
};

/* Ranges over a piece of work, as they were written: what follows lies under the same ones often.
 */
struct json_ranges {
    uint32_t thread, owner;
    size_t size; /* 0: none were written, or they need more room */
    char text[512];
};

struct json_writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    struct rf_sink *sink;
    struct rf_lanes lanes;
    rf_projections *projections;  /* NULL: there is no GPU work */
    struct json_kineto *kineto;   /* NULL: our own flavor, */
    struct json_members *members; /* which has these */
    struct json_ranges ranges;
    int64_t base_ns; /* ts of the recording's time 0: viewers refuse times below 0 */
    /* The track that is being written: a thread, a stream, or the projections of a thread. Its
     * first lane has tid first_tid; 0: it is given one. */
    uint32_t pid; /* as the viewer is told */
    uint32_t first_tid;
    uint64_t sort_index;
    void (*put_lane_name)(struct json_writer *to, size_t lane); /* "name":"..."}} */
    uint64_t n_places; /* tracks so far: they are listed in the order in which they are written */
    uint32_t thread;
    const struct rf_event *category; /* an event of the category that the track is of */
    uint32_t stream;                 /* index of the struct rf_gpu_track */
    int has_contexts;                /* its process uses several contexts on its device */
    int has_line;
    int by_category; /* what has a category lies on a track of it */
};

/* One stretch of time on a track. */
struct json_slice {
    const char *category;
    const void *item;                                           /* for the two functions */
    void (*put_name)(struct json_writer *to, const void *item); /* "name":"..." */
    void (*put_args)(struct json_writer *to, const void *item); /* ends the object */
    int64_t start_ns, end_ns;
};

/* ---- Lines and tracks (json_tracks.c) ---- */

void json_begin_line(struct json_writer *to);

/* name, with its quotes, comma and colon, and a number. */
void json_put_member(struct rf_sink *sink, const char *name, uint64_t value);

/* Begins one of args; the first begins args, too. */
void json_put_arg(struct rf_sink *sink, int *n_args, const char *name);
void json_put_number_arg(struct rf_sink *sink, int *n_args, const char *name, uint64_t value);

/* Of a copy or a set, as a member; nothing where it took no time. */
void json_put_bandwidth(struct rf_sink *sink, uint64_t bytes, uint64_t duration_ns);

/* Ends args, if there are any, and the event. */
void json_end_args(struct rf_sink *sink, int n_args);

/* A metadata event up to its args. tid 0: it is about the process. */
void json_begin_metadata(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid);
void json_put_sort_index(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid,
                         uint64_t index);

/* A name, or what stands for it, and a suffix; ends the metadata event. */
void json_put_shown_name(struct json_writer *to, uint32_t name, const char *otherwise,
                         const char *suffix);

/* A time of the recording as viewers are told it. Times of a damaged recording may be anything. */
static inline int64_t json_shown_ns(const struct json_writer *to, int64_t at_ns)
{
    return (int64_t)((uint64_t)to->base_ns + (uint64_t)at_ns);
}

/* pid, tid and ts. */
void json_put_place(struct json_writer *to, uint32_t tid, int64_t at_ns);

/* The same in a lane of the track that has its tid. */
void json_put_lane_place(struct json_writer *to, size_t lane, int64_t at_ns);

/* The sort index of the next track. */
static inline uint64_t json_next_place(struct json_writer *to)
{
    return to->n_places++ * RF_MAX_LANES;
}

/* Begins a track: it has one lane, which is empty. */
void json_begin_track(struct json_writer *to, uint32_t pid, uint32_t first_tid, uint64_t sort_index,
                      void (*put_lane_name)(struct json_writer *to, size_t lane));

/* The viewer's tid of a lane of the track; names it the first time. */
uint32_t json_lane_tid(struct json_writer *to, size_t lane);

/* A slice in the first lane where it nests. Slices come by start, enclosing before enclosed. *lane
 * (may be NULL): where it was put. Returns 0 or a negative error. */
int json_put_slice(struct json_writer *to, const struct json_slice *slice, size_t *lane);

/* A range that overlaps others as it likes. id: its own among those of its category. */
void json_put_async(struct json_writer *to, const struct json_slice *slice, uint64_t id,
                    uint32_t tid, uint32_t end_tid);

/* Once per event, call and piece of work: progress, and errors of the sink. */
int json_step(struct json_writer *to);

/* ---- Annotations (json_nvtx.c) ---- */

/* What is on a thread: its annotations and calls. */
int json_put_thread(struct json_writer *to, uint32_t thread);

/* An annotation on the current track, which is one of its thread. */
int json_put_event(struct json_writer *to, const struct rf_event *event);

/* Whether an annotation is on a track of its category, and all of a thread that are
 * (json_categories.c). Behind json_put_thread(). */
int json_has_category_track(const struct json_writer *to, const struct rf_event *event);
int json_put_categories(struct json_writer *to, uint32_t thread);

/* ---- Calls and GPU work (json_work.c) ---- */

/* The list of GPUs, as a member. */
void json_put_gpus(struct json_writer *to);

/* A call on the current thread's track, and the flows from it. */
int json_put_call(struct json_writer *to, const struct rf_call *call);

/* A piece of GPU work on the current track, and the flow to it. */
int json_put_op(struct json_writer *to, const struct rf_gpu_op *op, uint32_t index);

/* All streams (json_streams.c). */
int json_put_streams(struct json_writer *to);

/* ---- Projections (json_projection.c) ---- */

int json_put_projections(struct json_writer *to);

/* The ranges over a piece of work, outermost first, as a member that follows others. */
void json_put_ranges_member(struct json_writer *to, uint32_t op);

/* ---- Counters (json_counters.c) ---- */

int json_put_counters(struct json_writer *to);

#endif
