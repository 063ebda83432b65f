/* SPDX-License-Identifier: Apache-2.0 */
#include "model/projection/projection_process.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/private_access.h"
#include "model/projection/projection_crossing.h"
#include "model/projection/range_work.h"
#include "model/recording.h"

bool rf_ends_elsewhere(const rf_recording *rec, uint32_t thread, const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END &&
           rf_start_end_at(rec, event->link)->end_thread != thread;
}

/* ---- Finding them ---- */

static size_t collect_ranges(struct rf_process_range *range, const rf_recording *rec)
{
    size_t n = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n_events = 0;
        const struct rf_event *event = rf_thread_events(rec, t, &n_events);
        for (uint32_t i = 0; i < n_events; i++) {
            if (!rf_ends_elsewhere(rec, t, &event[i]))
                continue;
            if (range != NULL)
                range[n] = (struct rf_process_range){
                    .process = rf_thread_at(rec, t)->process,
                    .thread = t,
                    .span = {event[i].start_ns, event[i].end_ns, i},
                    .work = rf_no_work(),
                };
            n++;
        }
    }
    return n;
}

/* ---- Those of one process ---- */

/* What one process has: its threads, its ranges. Threads and ranges are listed by process, so that
 * all processes together cost one pass. */
struct process_job {
    const rf_recording *rec;
    struct rf_process_ranges *ranges;
    bool kernels_only;
    const uint32_t *thread; /* the process's */
    size_t n_threads;
    const uint32_t *range; /* indices into ranges->range[] */
    size_t n_ranges;
    struct rf_span *span;
    struct rf_work *work;
    const struct rf_call **call;
    size_t n_calls;
};

static int compare_spans(const void *a, const void *b)
{
    const struct rf_span *x = a;
    const struct rf_span *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int compare_calls(const void *a, const void *b)
{
    const struct rf_call *x = *(const struct rf_call *const *)a;
    const struct rf_call *y = *(const struct rf_call *const *)b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int gather(struct process_job *job)
{
    size_t n_calls = 0;
    size_t n_ops;
    (void)rf_gpu_ops(job->rec, &n_ops);
    for (size_t t = 0; t < job->n_threads; t++) {
        size_t n = 0;
        (void)rf_recording_calls(job->rec, job->thread[t], &n);
        n_calls += n;
    }
    job->span = malloc((job->n_ranges + 1) * sizeof(*job->span));
    job->work = malloc((job->n_ranges + 1) * sizeof(*job->work));
    job->call = malloc((n_calls + 1) * sizeof(*job->call));
    if (job->span == NULL || job->work == NULL || job->call == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < job->n_ranges; i++) {
        job->span[i] = job->ranges->range[job->range[i]].span;
        job->span[i].event = job->range[i];
    }
    qsort(job->span, job->n_ranges, sizeof(*job->span), compare_spans);
    for (size_t t = 0; t < job->n_threads; t++) {
        size_t n = 0;
        const struct rf_call *call = rf_recording_calls(job->rec, job->thread[t], &n);
        for (size_t i = 0; i < n; i++)
            if (call[i].first_op < n_ops)
                job->call[job->n_calls++] = &call[i];
    }
    qsort(job->call, job->n_calls, sizeof(*job->call), compare_calls);
    return RF_OK;
}

/* A call lies in one of the ranges if it does in the one that ends last of those that started. */
static void mark_covered(const struct process_job *job)
{
    size_t n_ops;
    const struct rf_gpu_op *op = rf_gpu_ops(job->rec, &n_ops);
    int64_t last_end_ns = 0;
    size_t s = 0;
    for (size_t c = 0; c < job->n_calls; c++) {
        for (; s < job->n_ranges && job->span[s].start_ns <= job->call[c]->start_ns; s++)
            if (s == 0 || job->span[s].end_ns > last_end_ns)
                last_end_ns = job->span[s].end_ns;
        if (s == 0 || last_end_ns < job->call[c]->end_ns)
            continue;
        for (uint32_t i = job->call[c]->first_op; i < n_ops; i = op[i].next_op)
            job->ranges->covered[i] = 1;
    }
}

static int project_process(struct process_job *job)
{
    int status = gather(job);
    struct rf_calls calls = {job->call, job->n_calls, .kernels_only = job->kernels_only};
    calls.op = rf_gpu_ops(job->rec, &calls.n_ops);
    if (status == RF_OK)
        status = rf_work_inside(job->span, job->n_ranges, &calls, job->work);
    if (status == RF_OK) {
        for (size_t i = 0; i < job->n_ranges; i++)
            job->ranges->range[job->span[i].event].work = job->work[i];
        mark_covered(job);
    }
    free(job->span);
    free(job->work);
    free(job->call);
    return status;
}

/* ---- All processes ---- */

struct by_process {
    uint32_t *item;
    size_t *first; /* per process, and one behind */
};

static uint32_t process_of_thread(const void *context, size_t i)
{
    return rf_thread_at(context, (uint32_t)i)->process;
}

static uint32_t process_of_range(const void *context, size_t i)
{
    return ((const struct rf_process_ranges *)context)->range[i].process;
}

/* Lists n items by process, in their order. */
static int list_by_process(struct by_process *list, uint32_t n_processes, size_t n,
                           uint32_t (*process_of)(const void *context, size_t i),
                           const void *context)
{
    list->item = malloc((n + 1) * sizeof(*list->item));
    list->first = calloc((size_t)n_processes + 2, sizeof(*list->first));
    if (list->item == NULL || list->first == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        list->first[process_of(context, i) + 2]++;
    for (uint32_t p = 0; p < n_processes; p++)
        list->first[p + 2] += list->first[p + 1];
    for (size_t i = 0; i < n; i++)
        list->item[list->first[process_of(context, i) + 1]++] = (uint32_t)i;
    return RF_OK;
}

static int project_processes(struct rf_process_ranges *ranges, const rf_recording *rec,
                             bool kernels_only)
{
    struct by_process threads = {0};
    struct by_process listed = {0};
    uint32_t n = rf_n_processes(rec);
    int status = list_by_process(&threads, n, rf_n_threads(rec), process_of_thread, rec);
    if (status == RF_OK)
        status = list_by_process(&listed, n, ranges->n, process_of_range, ranges);
    for (uint32_t p = 0; p < n && status == RF_OK; p++) {
        struct process_job job = {
            .rec = rec,
            .ranges = ranges,
            .kernels_only = kernels_only,
            .thread = threads.item + threads.first[p],
            .n_threads = threads.first[p + 1] - threads.first[p],
            .range = listed.item + listed.first[p],
            .n_ranges = listed.first[p + 1] - listed.first[p],
        };
        if (job.n_ranges > 0)
            status = project_process(&job);
    }
    free(threads.item);
    free(threads.first);
    free(listed.item);
    free(listed.first);
    return status;
}

int rf_process_ranges_init(struct rf_process_ranges *ranges, const rf_recording *rec,
                           bool kernels_only)
{
    size_t n_ops;
    (void)rf_gpu_ops(rec, &n_ops);
    ranges->n = collect_ranges(NULL, rec);
    if (ranges->n == 0)
        return RF_OK;
    ranges->range = malloc(ranges->n * sizeof(*ranges->range));
    ranges->covered = calloc(n_ops + 1, sizeof(*ranges->covered));
    if (ranges->range == NULL || ranges->covered == NULL)
        return RF_ERR_NO_MEMORY;
    (void)collect_ranges(ranges->range, rec);
    return project_processes(ranges, rec, kernels_only);
}

void rf_process_ranges_release(struct rf_process_ranges *ranges)
{
    free(ranges->range);
    free(ranges->covered);
}

const struct rf_work *rf_process_ranges_next(struct rf_process_ranges *ranges, uint32_t thread,
                                             uint32_t event)
{
    while (ranges->next < ranges->n && (ranges->range[ranges->next].thread < thread ||
                                        (ranges->range[ranges->next].thread == thread &&
                                         ranges->range[ranges->next].span.event < event)))
        ranges->next++;
    if (ranges->next == ranges->n)
        return NULL;
    const struct rf_process_range *range = &ranges->range[ranges->next];
    return range->thread == thread && range->span.event == event ? &range->work : NULL;
}
