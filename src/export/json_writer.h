/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write Chrome trace JSON share: export_json.c annotations and the frame,
 * json_work.c calls and GPU work, json_projection.c ranges as the GPU saw them. */
#ifndef RF_EXPORT_JSON_WRITER_H
#define RF_EXPORT_JSON_WRITER_H

#include "export/export.h"
#include "export/json_lanes.h"

struct json_writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    struct rf_sink *sink;
    struct rf_lanes lanes;
    rf_projections *projections; /* NULL: there is no GPU work */
    /* The track that is being written: a thread, a stream, or the projections of a thread. Its
     * first lane has tid first_tid; 0: it is given one. */
    uint32_t pid; /* as the viewer is told */
    uint32_t first_tid;
    uint64_t sort_index;
    void (*put_lane_name)(struct json_writer *to, size_t lane); /* "name":"..."}} */
    uint32_t thread;
    uint32_t stream;    /* index of the struct rf_gpu_track */
    int names_contexts; /* of its device: the process uses several */
    int has_line;
};

/* One stretch of time on a track. */
struct json_slice {
    const char *category;
    const void *item;                                           /* for the two functions */
    void (*put_name)(struct json_writer *to, const void *item); /* "name":"..." */
    void (*put_args)(struct json_writer *to, const void *item); /* ends the object */
    int64_t start_ns, end_ns;
};

void json_begin_line(struct json_writer *to);

/* name, with its quotes, comma and colon, and a number. */
void json_put_member(struct rf_sink *sink, const char *name, uint64_t value);

/* Begins one of args; the first begins args, too. */
void json_put_arg(struct rf_sink *sink, int *n_args, const char *name);

/* Ends args, if there are any, and the event. */
void json_end_args(struct rf_sink *sink, int n_args);

/* pid, tid and ts. */
void json_put_place(struct json_writer *to, uint32_t tid, int64_t at_ns);

/* Begins a track: it has one lane, which is empty. */
void json_begin_track(struct json_writer *to, uint32_t process, uint32_t first_tid,
                      uint64_t sort_index,
                      void (*put_lane_name)(struct json_writer *to, size_t lane));

/* The viewer's tid of a lane of the track; names it the first time. */
uint32_t json_lane_tid(struct json_writer *to, size_t lane);

/* A slice in the first lane where it nests. Slices come by start, enclosing before enclosed. *tid
 * (may be NULL): where it was put. Returns 0 or a negative error. */
int json_put_slice(struct json_writer *to, const struct json_slice *slice, uint32_t *tid);

/* Once per event, call and piece of work: progress, and errors of the sink. */
int json_step(struct json_writer *to);

/* ---- Annotations ---- */

void json_put_event_name(struct json_writer *to, const struct rf_event *event);

/* domain, unless it is the default one. */
void json_put_domain_arg(struct json_writer *to, const struct rf_event *event, int *n_args);

/* ---- Calls and GPU work (json_work.c) ---- */

/* The list of GPUs, as a member. */
void json_put_gpus(struct json_writer *to);

/* A call on the current thread's track, and the flows from it. */
int json_put_call(struct json_writer *to, const struct rf_call *call);

/* All streams. */
int json_put_streams(struct json_writer *to);

/* ---- Projections (json_projection.c) ---- */

int json_put_projections(struct json_writer *to);

/* The ranges over a piece of work, outermost first, as an arg. */
void json_put_ranges_arg(struct json_writer *to, const struct rf_gpu_op *op, int *n_args);

#endif
