/* SPDX-License-Identifier: Apache-2.0 */
/* The projections of a recording: each thread's ranges over the calls of that thread; on request,
 * the ranges that ended on another thread over the calls of their process. It stands on the public
 * functions of the model alone. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/private_access.h"
#include "model/projection/projection_process.h"
#include "model/projection/projection_sweep.h"
#include "model/projection/range_work.h"
#include "model/recording.h"

struct rf_projections {
    uint32_t n_threads;
    size_t *first_event; /* per thread, and one behind: where its places in parent[] begin */
    uint32_t *parent;    /* per event of all threads */
    uint32_t *owner;     /* per operation */
    size_t n_ops;
    struct rf_projection *projection;
    size_t n, room;
    size_t *first; /* per thread, and one behind: its projections */
    struct rf_coverage coverage;
};

/* What is needed only while it is computed. */
struct work_in_progress {
    const rf_recording *rec;
    struct rf_project_options options;
    rf_projections *out;
    struct rf_span *span; /* of the thread at hand, and what is found for each */
    struct rf_work *work;
    uint32_t *parent;
    size_t *place; /* spans by event */
    size_t room;
    struct rf_process_ranges by_process;
};

static int is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

/* ---- Room ---- */

static int reserve_spans(struct work_in_progress *job, size_t n)
{
    if (n <= job->room)
        return RF_OK;
    free(job->span);
    free(job->work);
    free(job->parent);
    free(job->place);
    job->room = n;
    job->span = malloc(n * sizeof(*job->span));
    job->work = malloc(n * sizeof(*job->work));
    job->parent = malloc(n * sizeof(*job->parent));
    job->place = malloc(n * sizeof(*job->place));
    return job->span != NULL && job->work != NULL && job->parent != NULL && job->place != NULL
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

static int init_result(rf_projections *out, const rf_recording *rec)
{
    size_t n = 0;
    out->n_threads = rf_n_threads(rec);
    out->first_event = calloc((size_t)out->n_threads + 1, sizeof(*out->first_event));
    out->first = calloc((size_t)out->n_threads + 1, sizeof(*out->first));
    (void)rf_gpu_ops(rec, &out->n_ops);
    out->owner = malloc((out->n_ops + 1) * sizeof(*out->owner));
    if (out->first_event == NULL || out->first == NULL || out->owner == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < out->n_threads; t++) {
        size_t n_events = 0;
        (void)rf_thread_events(rec, t, &n_events);
        out->first_event[t] = n;
        n += n_events;
    }
    out->first_event[out->n_threads] = n;
    out->parent = malloc((n + 1) * sizeof(*out->parent));
    if (out->parent == NULL)
        return RF_ERR_NO_MEMORY;
    memset(out->parent, 0xff, n * sizeof(*out->parent)); /* RF_NO_INDEX */
    memset(out->owner, 0xff, out->n_ops * sizeof(*out->owner));
    return RF_OK;
}

static int add_projection(rf_projections *out, uint32_t thread, uint32_t event,
                          const struct rf_work *work, int by_process)
{
    if (rf_grow_array(&out->projection, out->n, &out->room, sizeof(*out->projection)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    out->projection[out->n++] = (struct rf_projection){
        .thread = thread,
        .event = event,
        .start_ns = work->start_ns,
        .end_ns = work->end_ns,
        .busy_ns = work->busy_ns,
        .n_calls = work->n_calls,
        .n_ops = work->n_ops,
        .by_process = by_process,
    };
    return RF_OK;
}

/* ---- One thread ---- */

static int compare_spans(const void *a, const void *b)
{
    const struct rf_span *x = a;
    const struct rf_span *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Ranges that begin together may stand in the order in which they were pushed. */
static void sort_spans(struct rf_span *span, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare_spans(&span[i - 1], &span[i]) > 0) {
            qsort(span, n, sizeof(*span), compare_spans);
            return;
        }
}

static int collect_spans(struct work_in_progress *job, uint32_t thread, size_t *n_spans)
{
    size_t n_events = 0;
    const struct rf_event *event = rf_thread_events(job->rec, thread, &n_events);
    int status = reserve_spans(job, n_events + 1);
    *n_spans = 0;
    for (uint32_t i = 0; i < n_events && status == RF_OK; i++)
        if (is_range(&event[i]) && !rf_ends_elsewhere(job->rec, thread, &event[i]))
            job->span[(*n_spans)++] = (struct rf_span){event[i].start_ns, event[i].end_ns, i};
    if (status == RF_OK)
        sort_spans(job->span, *n_spans);
    return status;
}

static void keep_parents(struct work_in_progress *job, uint32_t thread, size_t n_spans)
{
    uint32_t *parent = job->out->parent + job->out->first_event[thread];
    for (size_t i = 0; i < n_spans; i++)
        if (job->parent[i] != RF_NO_INDEX)
            parent[job->span[i].event] = job->span[job->parent[i]].event;
}

/* The projections of a thread by event: its own and, in between, those by process. */
static int keep_work(struct work_in_progress *job, uint32_t thread, size_t n_spans)
{
    size_t n_events = 0;
    int status = RF_OK;
    (void)rf_thread_events(job->rec, thread, &n_events);
    memset(job->place, 0xff, n_events * sizeof(*job->place)); /* SIZE_MAX */
    for (size_t i = 0; i < n_spans; i++)
        job->place[job->span[i].event] = i;
    for (uint32_t i = 0; i < n_events && status == RF_OK; i++) {
        int by_process = job->place[i] == SIZE_MAX;
        const struct rf_work *work = by_process
                                         ? rf_process_ranges_next(&job->by_process, thread, i)
                                         : &job->work[job->place[i]];
        if (work != NULL && work->n_calls > 0)
            status = add_projection(job->out, thread, i, work, by_process);
    }
    return status;
}

static int project_thread(struct work_in_progress *job, uint32_t thread)
{
    size_t n_spans;
    int status = collect_spans(job, thread, &n_spans);
    struct rf_sweep sweep = {
        .span = job->span,
        .n_spans = n_spans,
        .kernels_only = job->options.kernels_only,
        .work = job->work,
        .parent = job->parent,
        .owner = job->out->owner,
    };
    sweep.op = rf_gpu_ops(job->rec, &sweep.n_ops);
    sweep.call = rf_recording_calls(job->rec, thread, &sweep.n_calls);
    if (status == RF_OK && n_spans > 0)
        status = rf_sweep(&sweep);
    if (status == RF_OK) {
        keep_parents(job, thread, n_spans);
        status = keep_work(job, thread, n_spans);
    }
    return status;
}

/* ---- All ---- */

static void measure_coverage(struct work_in_progress *job)
{
    size_t n;
    struct rf_coverage *coverage = &job->out->coverage;
    const struct rf_gpu_op *op = rf_gpu_ops(job->rec, &n);
    for (size_t i = 0; i < n; i++) {
        if (!rf_op_counts(&op[i], job->options.kernels_only))
            continue;
        uint64_t duration = (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
        int is_covered = job->out->owner[i] != RF_NO_INDEX ||
                         (job->by_process.covered != NULL && job->by_process.covered[i]);
        coverage->n_ops++;
        coverage->busy_ns = rf_add_saturated(coverage->busy_ns, duration);
        if (!is_covered)
            continue;
        coverage->n_covered++;
        coverage->covered_ns = rf_add_saturated(coverage->covered_ns, duration);
    }
}

static int project_all(struct work_in_progress *job)
{
    int status = init_result(job->out, job->rec);
    if (status == RF_OK && job->options.by_process)
        status = rf_process_ranges_init(&job->by_process, job->rec, job->options.kernels_only);
    for (uint32_t t = 0; t < job->out->n_threads && status == RF_OK; t++) {
        job->out->first[t] = job->out->n;
        status = project_thread(job, t);
        job->out->first[t + 1] = job->out->n;
    }
    if (status == RF_OK)
        measure_coverage(job);
    return status;
}

int rf_project(const rf_recording *rec, const struct rf_project_options *options,
               rf_projections **out, struct rf_err *err)
{
    struct work_in_progress job = {.rec = rec};
    int status = RF_ERR_NO_MEMORY;
    if (options != NULL)
        job.options = *options;
    *out = NULL;
    job.out = calloc(1, sizeof(*job.out));
    if (job.out != NULL)
        status = project_all(&job);
    free(job.span);
    free(job.work);
    free(job.parent);
    free(job.place);
    rf_process_ranges_release(&job.by_process);
    if (status != RF_OK) {
        rf_projections_free(job.out);
        return rf_fail(err, status, "out of memory while projecting the ranges onto the GPU work");
    }
    *out = job.out;
    return RF_OK;
}

void rf_projections_free(rf_projections *projections)
{
    if (projections == NULL)
        return;
    free(projections->first_event);
    free(projections->parent);
    free(projections->owner);
    free(projections->projection);
    free(projections->first);
    free(projections);
}

/* ---- Answers ---- */

const struct rf_projection *rf_projections_all(const rf_projections *projections, size_t *n)
{
    if (n != NULL)
        *n = projections->n;
    return projections->n > 0 ? projections->projection : NULL;
}

const struct rf_projection *rf_projection_of(const rf_projections *projections, uint32_t thread,
                                             uint32_t event)
{
    if (thread >= projections->n_threads)
        return NULL;
    size_t low = projections->first[thread];
    size_t high = projections->first[thread + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (projections->projection[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < projections->first[thread + 1] && projections->projection[low].event == event
               ? &projections->projection[low]
               : NULL;
}

uint32_t rf_projection_owner(const rf_projections *projections, uint32_t op)
{
    return op < projections->n_ops ? projections->owner[op] : RF_NO_INDEX;
}

uint32_t rf_range_parent(const rf_projections *projections, uint32_t thread, uint32_t event)
{
    if (thread >= projections->n_threads)
        return RF_NO_INDEX;
    size_t first = projections->first_event[thread];
    return event < projections->first_event[thread + 1] - first ? projections->parent[first + event]
                                                                : RF_NO_INDEX;
}

void rf_projection_coverage(const rf_projections *projections, struct rf_coverage *out)
{
    *out = projections->coverage;
}
