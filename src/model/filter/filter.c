/* SPDX-License-Identifier: Apache-2.0 */
/* A filtered recording has its own arrays of threads, events, calls and GPU work, of processes and
 * domains; it uses the rest of the source. */
#include "model/filter/filter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/sized.h"
#include "model/filter/activities.h"
#include "model/filter/filter_event.h"
#include "model/filter/filter_extra.h"
#include "model/filter/filter_gpus.h"
#include "model/filter/filter_parse.h"
#include "model/filter/filter_sums.h"
#include "model/filter/filter_windows.h"
#include "model/filter/name_pattern.h"
#include "model/filter/selected.h"
#include "model/sums/projected_sums.h"
#include "model/ranks.h"
#include "model/recording.h"

struct rf_filtering {
    const rf_recording *from;
    rf_recording *to;
    struct rf_filter filter;
    /* The index in the result by the index in the source; RF_NO_INDEX: left out. */
    uint32_t *process, *domain, *thread, *op;
    uint32_t **call; /* per thread; NULL: it has none */
};

static void *new_array(size_t n, size_t size)
{
    return calloc(n + 1, size);
}

/* ---- What is kept ---- */

static unsigned call_activity(int kind)
{
    return kind == RF_CALL_OS            ? RF_ACTIVITY_OS
           : kind == RF_CALL_CUDA_DRIVER ? RF_ACTIVITY_DRIVER
                                         : RF_ACTIVITY_RUNTIME;
}

/* The payloads are looked at last: decoding them takes longest. */
static bool fits(struct rf_filtering *job, const struct rf_event *event)
{
    bool is_kept = rf_name_fits(&job->filter.name, job->from, event->name);
    for (size_t i = 0; i < job->filter.n_payloads && is_kept; i++)
        is_kept = rf_payload_fits(&job->filter.payload[i], event);
    return is_kept;
}

static bool keeps_event(struct rf_filtering *job, const struct rf_event *event)
{
    return job->domain[event->domain] != RF_NO_INDEX && rf_filter_has_event(&job->filter, event) &&
           (!rf_filter_is_annotation(event) || fits(job, event));
}

static bool keeps_thread(const struct rf_filtering *job, uint32_t i)
{
    return job->process[job->from->thread[i].process] != RF_NO_INDEX &&
           rf_filter_has_thread(&job->filter, i);
}

/* CUDA's calls stay, hidden, if they are not chosen: they relate GPU work to ranges. */
static bool keeps_call(const struct rf_filtering *job, const struct rf_call *call)
{
    unsigned wanted = job->filter.activities;
    if (job->to->hides_calls)
        wanted = RF_ACTIVITY_RUNTIME | RF_ACTIVITY_DRIVER;
    return (wanted & call_activity(call->kind)) != 0 &&
           rf_filter_has_time(&job->filter, call->start_ns, call->end_ns);
}

static bool keeps_op(struct rf_filtering *job, const struct rf_gpu_op *op)
{
    const struct rf_gpu_track *track = &job->from->track[op->track];
    if ((job->filter.activities & RF_ACTIVITY_OF_WORK(op->kind)) == 0 ||
        job->process[track->process] == RF_NO_INDEX ||
        !rf_filter_has_thread(&job->filter, op->thread) ||
        !rf_filter_has_gpu(&job->filter, track->device) ||
        !rf_filter_has_time(&job->filter, op->start_ns, op->end_ns))
        return false;
    if (job->filter.kernel.text == NULL || op->kind != RF_OP_KERNEL)
        return true;
    const struct rf_kernel *kernel = rf_kernel_at(job->from, op->detail);
    return rf_name_fits(&job->filter.kernel, job->from, op->name) ||
           (kernel != NULL && rf_name_fits(&job->filter.kernel, job->from, kernel->demangled));
}

/* ---- Processes and domains ---- */

static int copy_processes(struct rf_filtering *job)
{
    const rf_recording *from = job->from;
    const uint8_t *keeps = job->filter.keeps_process;
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->n_processes; i++)
        job->process[i] = keeps == NULL || keeps[i] ? n++ : RF_NO_INDEX;
    job->to->process = new_array(n, sizeof(*job->to->process));
    if (job->to->process == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < from->n_processes; i++) {
        if (job->process[i] == RF_NO_INDEX)
            continue;
        struct rf_process *process = &job->to->process[job->process[i]];
        *process = from->process[i];
        if (process->parent != RF_NO_INDEX)
            process->parent = job->process[process->parent];
    }
    job->to->n_processes = n;
    return RF_OK;
}

/* A domain also inherits categories from a domain of a process that is left out. */
static int copy_categories(struct rf_filtering *job)
{
    const rf_recording *from = job->from;
    int status = RF_OK;
    for (size_t i = 0; i < from->category.room; i++) {
        const struct rf_map_entry *entry = &from->category.entry[i];
        if (entry->value == RF_MAP_NONE)
            continue;
        for (uint32_t d = 0; d < from->n_domains && status == RF_OK; d++) {
            if (job->domain[d] == RF_NO_INDEX ||
                (d != entry->a && from->domain_parent[d] == RF_NO_INDEX))
                continue;
            uint32_t name = rf_category_name(from, d, (uint32_t)entry->b);
            if (name != RF_NO_STRING)
                status = rf_map_set(&job->to->category, job->domain[d], entry->b, name);
        }
    }
    return status;
}

static int copy_domains(struct rf_filtering *job)
{
    const rf_recording *from = job->from;
    rf_recording *to = job->to;
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->n_domains; i++)
        job->domain[i] = job->process[from->domain[i].process] != RF_NO_INDEX ? n++ : RF_NO_INDEX;
    to->domain = new_array(n, sizeof(*to->domain));
    if (to->domain == NULL)
        return RF_ERR_NO_MEMORY;
    if (job->filter.keeps_process == NULL) {
        if (n > 0)
            memcpy(to->domain, from->domain, n * sizeof(*to->domain));
        return RF_OK;
    }
    to->domain_parent = new_array(n, sizeof(*to->domain_parent));
    memset(&to->category, 0, sizeof(to->category));
    to->category.seed = from->category.seed;
    if (to->domain_parent == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < from->n_domains; i++) {
        if (job->domain[i] == RF_NO_INDEX)
            continue;
        to->domain[job->domain[i]] = from->domain[i];
        to->domain[job->domain[i]].process = job->process[from->domain[i].process];
        to->domain_parent[job->domain[i]] = RF_NO_INDEX;
    }
    to->n_domains = n;
    return copy_categories(job);
}

static int copy_sums(struct rf_filtering *job)
{
    return rf_filter_copy_sums(job->from, job->to, job->process, job->domain);
}

/* ---- Threads ---- */

static int copy_events(struct rf_filtering *job, uint32_t thread, struct rf_thread_events *to)
{
    const struct rf_thread_events *from = &job->from->events[thread];
    size_t n = 0;
    bool *stays = new_array(from->n, sizeof(*stays));
    if (stays == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < from->n; i++)
        n += stays[i] = keeps_event(job, &from->event[i]);
    to->event = to->memory = new_array(n, sizeof(*to->event));
    for (size_t i = 0; i < from->n && to->event != NULL; i++)
        if (stays[i]) {
            to->event[to->n] = from->event[i];
            to->event[to->n++].domain = job->domain[from->event[i].domain];
        }
    free(stays);
    return to->event != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int copy_calls(struct rf_filtering *job, uint32_t thread, struct rf_thread_calls *to)
{
    const struct rf_thread_calls *from = &job->from->calls[thread];
    if (from->n == 0)
        return RF_OK;
    job->call[thread] = new_array(from->n, sizeof(uint32_t));
    to->call = new_array(from->n, sizeof(*to->call));
    if (job->call[thread] == NULL || to->call == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < from->n; i++) {
        bool stays = keeps_call(job, &from->call[i]);
        job->call[thread][i] = stays ? (uint32_t)to->n : RF_NO_INDEX;
        if (stays)
            to->call[to->n++] = from->call[i];
    }
    return RF_OK;
}

/* Marks threads that are kept because something refers to them. */
static void mark_needed(struct rf_filtering *job, bool *is_needed)
{
    const rf_recording *from = job->from;
    for (uint32_t i = 0; i < from->n_threads; i++) {
        const struct rf_thread_events *events = &from->events[i];
        if (!keeps_thread(job, i))
            continue;
        for (size_t k = 0; k < events->n; k++)
            if (events->event[k].kind == RF_EVENT_START_END &&
                keeps_event(job, &events->event[k])) {
                uint32_t end = from->start_end[events->event[k].link].end_thread;
                if (end < from->n_threads)
                    is_needed[end] = true;
            }
    }
    for (uint32_t i = 0; from->projected_sums != NULL && i < from->projected_sums->n_ranges; i++)
        if (from->projected_sums->ranges[i].thread < from->n_threads)
            is_needed[from->projected_sums->ranges[i].thread] = true;
    for (size_t i = 0; i < from->n_ops; i++)
        if (from->op[i].thread < from->n_threads && keeps_op(job, &from->op[i]))
            is_needed[from->op[i].thread] = true;
    for (size_t i = 0; i < from->n_extras; i++)
        if (from->extra[i].thread < from->n_threads &&
            rf_filter_has_extra(&job->filter, &from->extra[i], job->process))
            is_needed[from->extra[i].thread] = true;
    for (uint32_t i = 0; i < from->n_counters; i++)
        if (from->counter[i].nvtx != NULL && from->counter[i].nvtx->thread < from->n_threads &&
            rf_filter_has_counter(&job->filter, &from->counter[i], job->process))
            is_needed[from->counter[i].nvtx->thread] = true;
}

/* The events and calls of a thread that stay. */
static int copy_contents(struct rf_filtering *job, uint32_t i, struct rf_thread_events *events,
                         struct rf_thread_calls *calls)
{
    if (!keeps_thread(job, i))
        return RF_OK;
    int status = copy_events(job, i, events);
    if (status == RF_OK && job->to->calls != NULL)
        status = copy_calls(job, i, calls);
    return status;
}

static int copy_thread(struct rf_filtering *job, uint32_t i, bool is_needed)
{
    rf_recording *to = job->to;
    const struct rf_thread *thread = &job->from->thread[i];
    struct rf_thread_events events = {NULL, 0, NULL};
    struct rf_thread_calls calls = {NULL, 0};
    job->thread[i] = RF_NO_INDEX;
    if (job->process[thread->process] == RF_NO_INDEX)
        return RF_OK;
    int status = copy_contents(job, i, &events, &calls);
    const struct rf_selected *selected = job->from->selected;
    const uint64_t n_events = selected != NULL ? selected->thread[i].n_events : events.n;
    bool is_shown = n_events > 0 || (calls.n > 0 && !to->hides_calls);
    if (status != RF_OK || (!is_shown && !is_needed)) {
        free(events.memory);
        free(calls.call);
        return status;
    }
    uint32_t index = job->thread[i] = to->n_threads++;
    to->thread[index] = *thread;
    to->thread[index].process = job->process[thread->process];
    to->thread[index].n_events = n_events;
    to->thread[index].first_ns = n_events == 0      ? RF_NO_TIME
                                 : selected != NULL ? selected->thread[i].first_ns
                                                    : events.event[0].start_ns;
    to->events[index] = events;
    if (to->calls != NULL)
        to->calls[index] = calls;
    return RF_OK;
}

static int copy_threads(struct rf_filtering *job)
{
    const rf_recording *from = job->from;
    rf_recording *to = job->to;
    bool *is_needed = new_array(from->n_threads, sizeof(*is_needed));
    to->thread = new_array(from->n_threads, sizeof(*to->thread));
    to->events = new_array(from->n_threads, sizeof(*to->events));
    to->start_end = new_array(from->n_start_end, sizeof(*to->start_end));
    if (from->calls != NULL)
        to->calls = new_array(from->n_threads, sizeof(*to->calls));
    int status = RF_OK;
    if (is_needed == NULL || to->thread == NULL || to->events == NULL || to->start_end == NULL ||
        (from->calls != NULL && to->calls == NULL))
        status = RF_ERR_NO_MEMORY;
    else
        mark_needed(job, is_needed);
    for (uint32_t i = 0; i < from->n_threads && status == RF_OK; i++)
        status = copy_thread(job, i, is_needed[i]);
    free(is_needed);
    if (status == RF_OK)
        status = rf_filter_copy_projected(from, to, job->thread, job->domain);
    for (uint32_t i = 0; i < from->n_start_end && status == RF_OK; i++) {
        uint32_t end = from->start_end[i].end_thread;
        to->start_end[i] = from->start_end[i];
        to->start_end[i].end_thread = end < from->n_threads ? job->thread[end] : RF_NO_INDEX;
    }
    return status;
}

/* ---- GPU work ---- */

static void copy_op(struct rf_filtering *job, const struct rf_gpu_op *from, uint32_t track)
{
    struct rf_gpu_op *op = &job->to->op[job->to->n_ops++];
    *op = *from;
    op->track = track;
    op->next_op = RF_NO_INDEX; /* until calls are linked */
    if (from->thread >= job->from->n_threads)
        return;
    const uint32_t *call = job->call[from->thread];
    size_t n_calls = job->from->calls != NULL ? job->from->calls[from->thread].n : 0;
    op->thread = job->thread[from->thread];
    op->call = RF_NO_INDEX;
    if (op->thread != RF_NO_INDEX && !job->to->hides_calls && from->call < n_calls)
        op->call = call[from->call];
}

static int copy_ops(struct rf_filtering *job)
{
    const rf_recording *from = job->from;
    rf_recording *to = job->to;
    to->track = new_array(from->n_tracks, sizeof(*to->track));
    to->op = new_array(from->n_ops, sizeof(*to->op));
    job->op = new_array(from->n_ops, sizeof(*job->op));
    if (to->track == NULL || to->op == NULL || job->op == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < from->n_tracks; i++) {
        struct rf_gpu_track track = from->track[i];
        uint32_t first = (uint32_t)to->n_ops;
        for (uint32_t k = track.first_op; k - track.first_op < track.n_ops; k++) {
            bool stays = keeps_op(job, &from->op[k]);
            job->op[k] = stays ? (uint32_t)to->n_ops : RF_NO_INDEX;
            if (stays)
                copy_op(job, &from->op[k], to->n_tracks);
        }
        if (to->n_ops == first)
            continue;
        track.process = job->process[track.process];
        track.first_op = first;
        track.n_ops = (uint32_t)to->n_ops - first;
        to->track[to->n_tracks++] = track;
    }
    return RF_OK;
}

/* Links the work that the call caused and that is kept. */
static void link_call(struct rf_filtering *job, struct rf_call *call)
{
    uint32_t *link = &call->first_op;
    for (uint32_t i = call->first_op; i < job->from->n_ops;) {
        uint32_t next = job->from->op[i].next_op;
        if (job->op[i] != RF_NO_INDEX) {
            *link = job->op[i];
            link = &job->to->op[job->op[i]].next_op;
        }
        i = next;
    }
    *link = RF_NO_INDEX;
}

static void link_calls(struct rf_filtering *job)
{
    for (uint32_t i = 0; i < job->to->n_threads && job->to->calls != NULL; i++)
        for (size_t k = 0; k < job->to->calls[i].n; k++)
            link_call(job, &job->to->calls[i].call[k]);
}

static int copy_gpus(struct rf_filtering *job)
{
    return rf_filter_copy_gpus(&job->filter, job->from, job->to, job->process);
}

static int copy_rows(struct rf_filtering *job)
{
    int status = rf_filter_copy_extras(&job->filter, job->from, job->to, job->process, job->thread);
    if (status == RF_OK)
        status = rf_filter_copy_counters(
            &job->filter, job->from, job->to,
            &(struct rf_filter_places){job->process, job->thread, job->domain});
    return status;
}

/* ---- The whole recording ---- */

/* The result begins as a copy of the source without the arrays of its own. */
static void init_result(struct rf_filtering *job)
{
    const unsigned cuda = RF_ACTIVITY_RUNTIME | RF_ACTIVITY_DRIVER;
    const unsigned calls = cuda | RF_ACTIVITY_OS;
    rf_recording *to = job->to;
    *to = *job->from;
    to->source = job->from;
    to->selected = NULL;
    to->hides_calls = job->from->hides_calls || (job->filter.activities & calls) == 0;
    to->thread = NULL;
    to->events = NULL;
    to->n_threads = 0;
    to->start_end = NULL;
    to->calls = NULL;
    to->gpu = NULL;
    to->n_gpus = 0;
    to->places = (struct rf_gpu_places){.device = NULL};
    to->track = NULL;
    to->n_tracks = 0;
    to->op = NULL;
    to->n_ops = 0;
    to->extra = NULL;
    to->n_extras = 0;
    to->counter = NULL;
    to->counter_origin = NULL;
    to->n_counters = 0;
    to->column = NULL;
    to->n_columns = to->column_room = 0;
}

static int filter_all(struct rf_filtering *job)
{
    static int (*const steps[])(struct rf_filtering *) = {
        copy_processes, copy_domains, copy_sums, copy_threads, copy_gpus, copy_ops, copy_rows};
    const rf_recording *from = job->from;
    int status = RF_OK;
    job->process = new_array(from->n_processes, sizeof(uint32_t));
    job->domain = new_array(from->n_domains, sizeof(uint32_t));
    job->thread = new_array(from->n_threads, sizeof(uint32_t));
    job->call = new_array(from->n_threads, sizeof(uint32_t *));
    if (job->process == NULL || job->domain == NULL || job->thread == NULL || job->call == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == RF_OK; i++)
        status = steps[i](job);
    if (status != RF_OK)
        return status;
    link_calls(job);
    rf_recording_count_events(job->to);
    rf_filter_add_counts(from, job->to, job->domain);
    rf_agree_on_rank(job->to);
    return RF_OK;
}

/* Sums are of what they were made of. */
static int check_sums(const rf_recording *rec, const struct rf_filter_options *options,
                      struct rf_err *err)
{
    const bool is_summed = rec->sums != NULL || rec->paths != NULL || rec->work_sums != NULL ||
                           rec->projected_sums != NULL || rec->launch_sums != NULL;
    if (rec->selected != NULL ? rf_selected_is_of(rec->selected, options) : !is_summed)
        return RF_OK;
    return rf_fail(
        err, RF_ERR_USAGE,
        "rf_filter: the recording was opened for sums that are not those of this filter");
}

int rf_filter(const rf_recording *rec, const struct rf_filter_options *options, rf_recording **out,
              struct rf_err *err)
{
    struct rf_filtering job = {.from = rec};
    struct rf_filter_options own;
    if (out != NULL)
        *out = NULL;
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_filter: rec or out is NULL");
    int status = rf_sized_options(&own, sizeof(own), options, "rf_filter_options", err);
    if (status != RF_OK)
        return status;
    status = check_sums(rec, &own, err);
    if (status == RF_OK)
        status = rf_filter_init(&job.filter, rec, &own, err);
    if (status == RF_OK) {
        job.to = malloc(sizeof(*job.to));
        status = RF_ERR_NO_MEMORY;
        if (job.to != NULL) {
            init_result(&job);
            status = filter_all(&job);
        }
        if (status != RF_OK)
            (void)rf_fail(err, status, "out of memory");
        else if (rec->selected == NULL) /* where events are summed up it is known */
            status = rf_filter_check(&job.filter, err);
    }
    for (uint32_t i = 0; job.call != NULL && i < rec->n_threads; i++)
        free(job.call[i]);
    free(job.call);
    free(job.process);
    free(job.domain);
    free(job.thread);
    free(job.op);
    rf_filter_release(&job.filter);
    if (status != RF_OK)
        rf_close(job.to);
    else
        *out = job.to;
    return status;
}
