/* SPDX-License-Identifier: Apache-2.0 */
/* What an output format is, and what its writer works on. One format is one file with one const
 * descriptor; formats.c lists them, and says how to add one. */
#ifndef RF_EXPORT_EXPORT_H
#define RF_EXPORT_EXPORT_H

#include <stdbool.h>

#include "base/sink.h"
#include "export/merging.h"
#include "export/work_cursor.h"
#include "rangefinder/rangefinder.h"

/* What a format's write function works on. */
struct rf_export_job {
    const rf_recording *rec;
    const struct rf_export_options *options;
    struct rf_merging *merging; /* the inputs so far, rec the last; NULL: rec is the only one */
    uint64_t n_events;          /* in all */
    uint64_t n_done;            /* so far; see rf_export_step() */
    struct rf_err *err;
};

/* The ids that the earlier inputs have; NULL: rec is the only one. */
static inline struct rf_used_ids *rf_job_ids(const struct rf_export_job *job)
{
    return job->merging != NULL ? &job->merging->ids : NULL;
}

/* Whether a flow leads to GPU work from its call. A wait is no work that a call causes. */
static inline bool rf_has_flow(const struct rf_export_job *job, const struct rf_gpu_op *op)
{
    size_t n_calls;
    if (op->kind == RF_OP_SYNC || op->thread == RF_NO_INDEX || job->options->no_flows)
        return false;
    (void)rf_thread_calls(job->rec, op->thread, &n_calls);
    return op->call < n_calls;
}

/* Whether Perfetto's and Fuchsia's traces say of GPU work which call caused it: where no flow does.
 * If the caller wants neither flows nor details, nothing does. */
static inline bool rf_names_call(const struct rf_export_job *job, const struct rf_gpu_op *op,
                                 bool has_flow)
{
    bool is_bare =
        (op->kind == RF_OP_KERNEL || op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET) &&
        rf_gpu_op_detail(job->rec, op) == NULL;
    return !has_flow && !(job->options->no_flows && is_bare);
}

struct rf_export_format {
    const char *name;
    const char *description;   /* one line, as `rangefinder export -h` prints it */
    const char *extensions[4]; /* of its files, without the dot, ended by NULL: what files are named
                                * like, then what else is recognised */
    bool is_trace;             /* GPU work in it may have neither details nor flows */
    bool has_layouts;          /* nsys2json and kineto of rf_export_options are for this format */
    /* One of the two. A text goes through a sink, which may be standard output or compressed. A
     * file is written by its path: an empty file that exists, to be filled. */
    int (*write_text)(struct rf_export_job *job, struct rf_sink *sink);
    int (*write_file)(struct rf_export_job *job, const char *path);
    /* Of formats that several recordings can be written to: then write_text or write_file is called
     * for each, with merging, and at the end one of these, if it is there. */
    bool can_merge;
    bool has_no_times; /* rf_merging.has_no_times */
    int (*end_text)(struct rf_merging *merging, struct rf_sink *sink, struct rf_err *err);
    int (*end_file)(struct rf_merging *merging, const char *path, struct rf_err *err);
};

/* To be called once per event: now and then tells the caller's progress function. Non-zero, with
 * err filled, where that wants to stop. */
int rf_export_progress(struct rf_export_job *job);

static inline int rf_export_step(struct rf_export_job *job)
{
    return (++job->n_done & 0xffff) == 0 ? rf_export_progress(job) : RF_OK;
}

/* Calls write for every event of the recording, and write_work for every call and piece of GPU
 * work, in the order of time, minding progress and the sink's errors. */
typedef void rf_export_event_fn(void *context, struct rf_sink *sink, const struct rf_event_at *at);
typedef void rf_export_work_fn(void *context, struct rf_sink *sink, const struct rf_work_at *at);

int rf_export_each(struct rf_export_job *job, struct rf_sink *sink, rf_export_event_fn *write,
                   rf_export_work_fn *write_work, void *context);

#endif
