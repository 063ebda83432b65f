/* SPDX-License-Identifier: Apache-2.0 */
#include "built_recording.h"

#include <stdlib.h>
#include <string.h>

#include "model/recording.h"
#include "model/recording_close.h"
#include "model/strings.h"

/* One more item at the end of an array whose room is a power of two. */
static void *add_item(void *array, size_t n, size_t size)
{
    void **at = array;
    if ((n & (n - 1)) == 0) {
        *at = realloc(*at, (n == 0 ? 1 : n * 2) * size);
        if (*at == NULL)
            abort();
    }
    return memset((char *)*at + n * size, 0, size);
}

static uint32_t add_string(rf_recording *rec, const char *text)
{
    uint32_t id = RF_NO_STRING;
    if (text != NULL && (id = rf_strings_add(&rec->strings, text, strlen(text))) == RF_NO_STRING)
        abort();
    return id;
}

rf_recording *built_new(void)
{
    rf_recording *rec = calloc(1, sizeof(*rec));
    if (rec == NULL)
        abort();
    rf_strings_init(&rec->strings, 1);
    (void)built_process(rec, 100);
    rec->track = calloc(1, sizeof(*rec->track)); /* where all work is */
    if (rec->track == NULL)
        abort();
    rec->n_tracks = 1;
    return rec;
}

void built_free(rf_recording *rec)
{
    for (uint32_t t = 0; t < rec->n_threads; t++)
        free(rec->events[t].memory);
    rf_recording_release_work(rec);
    rf_strings_release(&rec->strings);
    free(rec->process);
    free(rec->thread);
    free(rec->events);
    free(rec->domain);
    free(rec->start_end);
    free(rec);
}

uint32_t built_process(rf_recording *rec, uint32_t pid)
{
    struct rf_process *process = add_item(&rec->process, rec->n_processes, sizeof(*process));
    process->pid = pid;
    process->name = process->exe = process->command = process->cwd = process->cpu = RF_NO_STRING;
    (void)built_domain(rec, rec->n_processes, 0, NULL);
    return rec->n_processes++;
}

uint32_t built_domain(rf_recording *rec, uint32_t process, uint32_t id, const char *name)
{
    struct rf_domain *domain = add_item(&rec->domain, rec->n_domains, sizeof(*domain));
    *domain = (struct rf_domain){
        .process = process, .id = id, .name = add_string(rec, name), .is_valid = 1};
    return rec->n_domains++;
}

uint32_t built_thread(rf_recording *rec, uint32_t process, uint32_t tid)
{
    struct rf_thread *thread = add_item(&rec->thread, rec->n_threads, sizeof(*thread));
    (void)add_item(&rec->events, rec->n_threads, sizeof(*rec->events));
    (void)add_item(&rec->calls, rec->n_threads, sizeof(*rec->calls));
    thread->process = process;
    thread->tid = tid;
    thread->name = RF_NO_STRING;
    return rec->n_threads++;
}

static struct rf_event *add_event(rf_recording *rec, uint32_t thread, const struct rf_event *from)
{
    struct rf_thread_events *events = &rec->events[thread];
    struct rf_event *event = add_item(&events->memory, events->n, sizeof(*event));
    *event = *from;
    events->event = events->memory;
    events->n++;
    rec->info.n_events++;
    return event;
}

uint32_t built_range(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                     uint32_t domain, const char *name)
{
    struct rf_event event = {.start_ns = start_ns,
                             .end_ns = end_ns,
                             .kind = RF_EVENT_PUSH_POP,
                             .domain = domain,
                             .name = add_string(rec, name)};
    (void)add_event(rec, thread, &event);
    return (uint32_t)rec->events[thread].n - 1;
}

uint32_t built_start_end(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                         uint32_t end_thread, const char *name)
{
    struct rf_start_end *link = add_item(&rec->start_end, rec->n_start_end, sizeof(*link));
    uint32_t i = built_range(rec, thread, start_ns, end_ns, 0, name);
    link->end_thread = end_thread;
    rec->events[thread].event[i].kind = RF_EVENT_START_END;
    rec->events[thread].event[i].link = rec->n_start_end++;
    return i;
}

uint32_t built_mark(rf_recording *rec, uint32_t thread, int64_t ns, const char *name)
{
    uint32_t i = built_range(rec, thread, ns, RF_NO_TIME, 0, name);
    rec->events[thread].event[i].kind = RF_EVENT_MARK;
    return i;
}

uint32_t built_call(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns)
{
    struct rf_thread_calls *calls = &rec->calls[thread];
    struct rf_call *call = add_item(&calls->call, calls->n, sizeof(*call));
    call->start_ns = start_ns;
    call->end_ns = end_ns;
    call->first_op = RF_NO_INDEX;
    call->kind = RF_CALL_CUDA_RUNTIME;
    return (uint32_t)calls->n++;
}

uint32_t built_op(rf_recording *rec, int kind, int64_t start_ns, int64_t end_ns, uint32_t thread,
                  uint32_t call, const char *name)
{
    struct rf_gpu_op *op = add_item(&rec->op, rec->n_ops, sizeof(*op));
    *op = (struct rf_gpu_op){.start_ns = start_ns,
                             .end_ns = end_ns,
                             .kind = (uint8_t)kind,
                             .name = add_string(rec, name),
                             .thread = thread,
                             .call = call,
                             .next_op = RF_NO_INDEX,
                             .detail = RF_NO_INDEX};
    if (thread != RF_NO_INDEX) {
        struct rf_call *from = &rec->calls[thread].call[call];
        op->next_op = from->first_op;
        from->first_op = (uint32_t)rec->n_ops;
    }
    return (uint32_t)rec->n_ops++;
}
