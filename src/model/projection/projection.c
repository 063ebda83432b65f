/* SPDX-License-Identifier: Apache-2.0 */
/* The projections of a recording: each thread's ranges over the calls of that thread; on request,
 * the ranges that ended on another thread over the calls of their process. It uses only the public
 * functions of the model. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/helper_threads.h"
#include "base/sized.h"
#include "model/private_access.h"
#include "model/projection/projection_process.h"
#include "model/projection/projection_sweep.h"
#include "model/projection/range_work.h"
#include "model/recording.h"

struct rf_projections {
    const rf_recording *rec;
    uint32_t n_threads;
    size_t *first_event;  /* per thread, and one behind: where its places in parent[] begin */
    uint32_t *parent;     /* per event of all threads */
    size_t *first_call;   /* likewise of call_owner[] */
    uint32_t *call_owner; /* per call of all threads */
    uint32_t *owner;      /* per operation */
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
    struct rf_span *span; /* of the current thread, and the results for each */
    struct rf_work *work;
    uint32_t *parent;
    size_t *place; /* spans by event */
    size_t room;
    struct rf_process_ranges by_process;
};

static bool is_range(const struct rf_event *event)
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

/* n times RF_NO_INDEX; NULL: out of memory. */
static uint32_t *no_indices(size_t n)
{
    uint32_t *all = malloc((n + 1) * sizeof(*all));
    if (all != NULL)
        memset(all, 0xff, n * sizeof(*all));
    return all;
}

static int init_result(rf_projections *out, const rf_recording *rec)
{
    size_t n_places = (size_t)rf_n_threads(rec) + 1;
    size_t n_events = 0, n_calls = 0;
    out->rec = rec;
    out->n_threads = rf_n_threads(rec);
    out->first_event = calloc(n_places, sizeof(*out->first_event));
    out->first_call = calloc(n_places, sizeof(*out->first_call));
    out->first = calloc(n_places, sizeof(*out->first));
    if (out->first_event == NULL || out->first_call == NULL || out->first == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < out->n_threads; t++) {
        size_t n = 0;
        (void)rf_thread_events(rec, t, &n);
        out->first_event[t + 1] = n_events += n;
        (void)rf_recording_calls(rec, t, &n);
        out->first_call[t + 1] = n_calls += n;
    }
    (void)rf_gpu_ops(rec, &out->n_ops);
    out->parent = no_indices(n_events);
    out->call_owner = no_indices(n_calls);
    out->owner = no_indices(out->n_ops);
    return out->parent != NULL && out->call_owner != NULL && out->owner != NULL ? RF_OK
                                                                                : RF_ERR_NO_MEMORY;
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

/* The projections of a thread in the order of events: its own, and those by process. */
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
        .call_owner = job->out->call_owner + job->out->first_call[thread],
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

/* ---- All threads ---- */

#define OPS_WORTH_A_THREAD ((size_t)1 << 18)

/* Each thread looks at some of the work. */
struct covering {
    const struct work_in_progress *job;
    uint32_t n_threads;
    struct rf_coverage of_thread[RF_MAX_THREADS];
};

static void cover_some(void *context, uint32_t thread)
{
    struct covering *covering = context;
    const struct work_in_progress *job = covering->job;
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(job->rec, &n);
    const size_t end = n * (thread + 1) / covering->n_threads;
    for (size_t i = n * thread / covering->n_threads; i < end; i++) {
        if (!rf_op_counts(&op[i], job->options.kernels_only))
            continue;
        uint64_t duration = (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
        bool is_covered = job->out->owner[i] != RF_NO_INDEX ||
                          (job->by_process.covered != NULL && job->by_process.covered[i]);
        coverage.n_ops++;
        coverage.busy_ns = rf_add_saturated(coverage.busy_ns, duration);
        if (!is_covered)
            continue;
        coverage.n_covered++;
        coverage.covered_ns = rf_add_saturated(coverage.covered_ns, duration);
    }
    covering->of_thread[thread] = coverage;
}

/* Sums that stop at the largest number do not depend on their order. */
static void measure_coverage(struct work_in_progress *job)
{
    struct covering covering = {.job = job, .n_threads = rf_n_processors()};
    struct rf_coverage *sum = &job->out->coverage;
    const size_t n_worth = job->out->n_ops / OPS_WORTH_A_THREAD + 1;
    if (covering.n_threads > n_worth)
        covering.n_threads = (uint32_t)n_worth;
    rf_in_threads(covering.n_threads, cover_some, &covering);
    for (uint32_t i = 0; i < covering.n_threads; i++) {
        const struct rf_coverage *coverage = &covering.of_thread[i];
        sum->n_ops += coverage->n_ops;
        sum->n_covered += coverage->n_covered;
        sum->busy_ns = rf_add_saturated(sum->busy_ns, coverage->busy_ns);
        sum->covered_ns = rf_add_saturated(sum->covered_ns, coverage->covered_ns);
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
    if (out != NULL)
        *out = NULL;
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_project: rec or out is NULL");
    int status =
        rf_sized_options(&job.options, sizeof(job.options), options, "rf_project_options", err);
    if (status != RF_OK)
        return status;
    status = RF_ERR_NO_MEMORY;
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
    free(projections->first_call);
    free(projections->call_owner);
    free(projections->owner);
    free(projections->projection);
    free(projections->first);
    free(projections);
}

/* ---- Answers: the work of ranges ---- */

const struct rf_projection *rf_projections_all(const rf_projections *projections, size_t *n)
{
    size_t n_all = projections != NULL ? projections->n : 0;
    if (n != NULL)
        *n = n_all;
    return n_all > 0 ? projections->projection : NULL;
}

const struct rf_projection *rf_projection_at(const rf_projections *projections, size_t i)
{
    return projections != NULL && i < projections->n ? &projections->projection[i] : NULL;
}

const struct rf_projection *rf_projection_of(const rf_projections *projections, uint32_t thread,
                                             uint32_t event)
{
    if (projections == NULL || thread >= projections->n_threads)
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
    return projections != NULL && op < projections->n_ops ? projections->owner[op] : RF_NO_INDEX;
}

/* Entry i of a thread's part of a list; first[]: where the parts begin. */
static uint32_t index_of_thread(const rf_projections *projections, const size_t *first,
                                const uint32_t *list, uint32_t thread, uint32_t i)
{
    return thread < projections->n_threads && i < first[thread + 1] - first[thread]
               ? list[first[thread] + i]
               : RF_NO_INDEX;
}

uint32_t rf_call_owner(const rf_projections *projections, uint32_t thread, uint32_t call)
{
    return projections != NULL ? index_of_thread(projections, projections->first_call,
                                                 projections->call_owner, thread, call)
                               : RF_NO_INDEX;
}

int rf_projection_coverage(const rf_projections *projections, struct rf_coverage *out)
{
    static const struct rf_coverage none = RF_COVERAGE_INIT;
    const struct rf_coverage *coverage = projections != NULL ? &projections->coverage : &none;
    return out != NULL && rf_sized_write(out, sizeof(*out), coverage) == RF_SIZED_OK ? RF_OK
                                                                                     : RF_ERR_USAGE;
}

/* ---- Answers: how ranges nest ---- */

uint32_t rf_range_parent(const rf_projections *projections, uint32_t thread, uint32_t event)
{
    return projections != NULL ? index_of_thread(projections, projections->first_event,
                                                 projections->parent, thread, event)
                               : RF_NO_INDEX;
}

/* The range that this event is, or NULL. */
static const struct rf_event *range_of(const rf_projections *projections, uint32_t thread,
                                       uint32_t event)
{
    const struct rf_event *range =
        projections != NULL ? rf_thread_event_at(projections->rec, thread, event) : NULL;
    return range != NULL && is_range(range) ? range : NULL;
}

uint32_t rf_range_next_child(const rf_projections *projections, uint32_t thread, uint32_t event,
                             uint32_t previous)
{
    const struct rf_event *range = range_of(projections, thread, event);
    size_t n_events;
    if (range == NULL)
        return RF_NO_INDEX;
    const struct rf_event *all = rf_thread_events(projections->rec, thread, &n_events);
    const uint32_t *parent = projections->parent + projections->first_event[thread];
    uint32_t i = event;
    if (previous != RF_NO_INDEX)
        i = previous + 1;
    else /* ranges that begin together may stand in any order */
        while (i > 0 && all[i - 1].start_ns == range->start_ns)
            i--;
    for (; i < n_events && all[i].start_ns <= range->end_ns; i++)
        if (parent[i] == event)
            return i;
    return RF_NO_INDEX;
}

uint32_t rf_range_depth(const rf_projections *projections, uint32_t thread, uint32_t event)
{
    uint32_t depth = 0;
    while ((event = rf_range_parent(projections, thread, event)) != RF_NO_INDEX)
        depth++;
    return depth;
}

int64_t rf_range_self_ns(const rf_projections *projections, uint32_t thread, uint32_t event)
{
    const struct rf_event *range = range_of(projections, thread, event);
    if (range == NULL)
        return RF_NO_TIME;
    int64_t covered_to = range->start_ns; /* by the children up to here */
    uint64_t self_ns = (uint64_t)range->end_ns - (uint64_t)range->start_ns;
    uint32_t i = RF_NO_INDEX;
    while ((i = rf_range_next_child(projections, thread, event, i)) != RF_NO_INDEX) {
        const struct rf_event *child = rf_thread_event_at(projections->rec, thread, i);
        int64_t from = child->start_ns > covered_to ? child->start_ns : covered_to;
        if (child->end_ns <= from)
            continue;
        self_ns -= (uint64_t)child->end_ns - (uint64_t)from;
        covered_to = child->end_ns;
    }
    return self_ns <= INT64_MAX ? (int64_t)self_ns : INT64_MAX;
}
