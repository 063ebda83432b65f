/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/load/samples.h"
#include "base/map.h"
#include "model/strings.h"

#define FAKE_MOST_SAMPLES 64 /* of a counter */

/* Makes room for one more in an array of n and returns the new item, zeroed. */
static void *add(void *array, size_t n, size_t item_size)
{
    char *items;
    memcpy(&items, array, sizeof(items));
    if ((n & (n - 1)) == 0) { /* doubles */
        items = realloc(items, (2 * n + 2) * item_size);
        if (items == NULL)
            abort();
        memcpy(array, &items, sizeof(items));
    }
    memset(items + n * item_size, 0, item_size);
    return items + n * item_size;
}

/* ---- Building ---- */

rf_recording *fake_new(void)
{
    rf_recording *rec = calloc(1, sizeof(*rec));
    if (rec == NULL)
        abort();
    rf_strings_init(&rec->strings, rf_hash_seed());
    rec->info.path = "sample.rf";
    rec->info.product = "Rangefinder test";
    rec->info.host = "testhost";
    rec->info.clock_name = "tsc";
    rec->info.clock_hz = 2.5e9;
    rec->info.epoch_utc_ns = 1700000000123456789;
    rec->info.epoch_mono_ns = 5000000000;
    rec->info.utc_offset_s = 3600;
    rec->info.is_finished = 1;
    rec->info.root_pid = 100;
    (void)fake_process(rec, 100, "app");
    (void)fake_thread(rec, 0, 100, "app");
    return rec;
}

void fake_capture(rf_recording *rec, int64_t begin_ns, int64_t end_ns, int is_open)
{
    struct rf_capture_info *capture = add(&rec->capture, rec->n_captures, sizeof(*capture));
    *capture = (struct rf_capture_info){begin_ns, end_ns, ++rec->n_captures, is_open};
    rec->info.is_focused = 1;
}

struct rf_info *fake_info(rf_recording *rec)
{
    return &rec->info;
}

uint32_t fake_string(rf_recording *rec, const char *text)
{
    return text != NULL ? rf_strings_add(&rec->strings, text, strlen(text)) : RF_NO_STRING;
}

uint32_t fake_process(rf_recording *rec, uint32_t pid, const char *name)
{
    char path[128];
    char command[128];
    uint32_t index = rec->n_processes;
    struct rf_process *process = add(&rec->process, index, sizeof(*process));
    rec->n_processes++;
    (void)snprintf(path, sizeof(path), "/usr/bin/%s", name);
    (void)snprintf(command, sizeof(command), "%s --fast", name);
    process->pid = pid;
    process->ppid = 1;
    process->parent = RF_NO_INDEX;
    process->name = fake_string(rec, name);
    process->exe = fake_string(rec, path);
    process->command = fake_string(rec, command);
    process->cwd = fake_string(rec, "/home/me");
    process->exit_ns = RF_NO_TIME;
    process->rank = process->local_rank = process->world_size = -1;
    (void)fake_domain(rec, index, 0, NULL);
    return index;
}

uint32_t fake_thread(rf_recording *rec, uint32_t process, uint32_t tid, const char *name)
{
    struct rf_thread *thread = add(&rec->thread, rec->n_threads, sizeof(*thread));
    (void)add(&rec->events, rec->n_threads, sizeof(*rec->events));
    (void)add(&rec->calls, rec->n_threads, sizeof(*rec->calls));
    thread->process = process;
    thread->tid = tid;
    thread->serial = rec->n_threads + 1;
    thread->name = fake_string(rec, name);
    thread->end_ns = RF_NO_TIME;
    return rec->n_threads++;
}

uint32_t fake_domain(rf_recording *rec, uint32_t process, uint32_t id, const char *name)
{
    struct rf_domain *domain = add(&rec->domain, rec->n_domains, sizeof(*domain));
    *(uint32_t *)add(&rec->domain_parent, rec->n_domains, sizeof(uint32_t)) = RF_NO_INDEX;
    domain->process = process;
    domain->id = id;
    domain->name = fake_string(rec, name);
    domain->is_valid = 1;
    return rec->n_domains++;
}

struct rf_process *fake_process_at(rf_recording *rec, uint32_t i)
{
    return &rec->process[i];
}

struct rf_thread *fake_thread_at(rf_recording *rec, uint32_t i)
{
    return &rec->thread[i];
}

struct rf_domain *fake_domain_at(rf_recording *rec, uint32_t i)
{
    return &rec->domain[i];
}

void fake_inherit_domain(rf_recording *rec, uint32_t domain, uint32_t parent)
{
    rec->domain_parent[domain] = parent;
}

void fake_category_name(rf_recording *rec, uint32_t domain, uint32_t category, const char *name)
{
    if (rf_map_set(&rec->category, domain, category, fake_string(rec, name)) != RF_OK)
        abort();
}

void fake_message(rf_recording *rec, const char *message)
{
    for (uint32_t i = 0; i < RF_MAX_MESSAGES; i++)
        if (rec->control.message[i][0] == 0) {
            (void)snprintf((char *)rec->control.message[i], RF_MESSAGE_SIZE, "%s", message);
            return;
        }
    abort();
}

struct rf_event *fake_event(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                            int64_t end_ns, uint32_t domain, const char *name)
{
    struct rf_thread_events *events = &rec->events[thread];
    struct rf_event *event = add(&events->event, events->n++, sizeof(*event));
    events->memory = events->event;
    event->kind = (uint8_t)kind;
    event->start_ns = start_ns;
    event->end_ns = end_ns;
    event->domain = domain;
    event->name = fake_string(rec, name);
    rec->thread[thread].n_events++;
    rec->info.n_events++;
    rec->info.n_ranges += kind == RF_EVENT_PUSH_POP || kind == RF_EVENT_START_END;
    rec->info.n_marks += kind == RF_EVENT_MARK;
    return event;
}

struct rf_event *fake_start_end(rf_recording *rec, uint32_t thread, int64_t start_ns,
                                int64_t end_ns, uint32_t end_thread, const char *name)
{
    struct rf_start_end *link = add(&rec->start_end, rec->n_start_end, sizeof(*link));
    link->number = ++rec->n_start_end;
    link->id = 0x10000000000u + link->number;
    link->end_thread = end_thread;
    struct rf_event *event = fake_event(rec, thread, RF_EVENT_START_END, start_ns, end_ns, 0, name);
    event->link = rec->n_start_end - 1;
    return event;
}

/* ---- Calls and GPU work ---- */

struct rf_call *fake_call(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                          int64_t end_ns, const char *name)
{
    struct rf_thread_calls *calls = &rec->calls[thread];
    struct rf_call *call = add(&calls->call, calls->n++, sizeof(*call));
    call->kind = (uint8_t)kind;
    call->start_ns = start_ns;
    call->end_ns = end_ns;
    call->name = fake_string(rec, name);
    call->first_op = RF_NO_INDEX;
    return call;
}

struct rf_gpu *fake_gpu(rf_recording *rec, uint32_t id, const char *name)
{
    struct rf_gpu *gpu = add(&rec->gpu, rec->n_gpus++, sizeof(*gpu));
    gpu->id = id;
    gpu->name = fake_string(rec, name);
    gpu->chip = fake_string(rec, "GT000");
    gpu->uuid = gpu->bus = RF_NO_STRING;
    gpu->memory_bytes = (uint64_t)80 << 30;
    gpu->n_multiprocessors = 132;
    gpu->capability_major = 9;
    return gpu;
}

uint32_t fake_track(rf_recording *rec, uint32_t process, uint32_t device, uint32_t context,
                    uint32_t stream)
{
    struct rf_gpu_track *track = add(&rec->track, rec->n_tracks, sizeof(*track));
    *track = (struct rf_gpu_track){.process = process,
                                   .device = device,
                                   .context = context,
                                   .stream = stream,
                                   .first_op = (uint32_t)rec->n_ops};
    return rec->n_tracks++;
}

struct rf_gpu_op *fake_op(rf_recording *rec, int kind, int64_t start_ns, int64_t end_ns,
                          const char *name)
{
    struct rf_gpu_op *op = add(&rec->op, rec->n_ops++, sizeof(*op));
    op->kind = (uint8_t)kind;
    op->start_ns = start_ns;
    op->end_ns = end_ns;
    op->track = rec->n_tracks - 1;
    op->name = fake_string(rec, name);
    op->thread = op->call = op->next_op = op->detail = RF_NO_INDEX;
    rec->track[op->track].n_ops++;
    return op;
}

struct rf_kernel *fake_kernel(rf_recording *rec, struct rf_gpu_op *op, const char *demangled)
{
    struct rf_detail_array *kernels = &rec->detail[RF_OP_KERNEL];
    struct rf_kernel *kernel = add(&kernels->detail, kernels->n, sizeof(*kernel));
    kernel->demangled = fake_string(rec, demangled);
    kernel->mangled = RF_NO_STRING;
    op->detail = kernels->n++;
    return kernel;
}

struct rf_transfer *fake_transfer(rf_recording *rec, struct rf_gpu_op *op, uint64_t bytes)
{
    struct rf_detail_array *transfers = &rec->detail[RF_OP_MEMCPY];
    struct rf_transfer *transfer = add(&transfers->detail, transfers->n, sizeof(*transfer));
    transfer->bytes = bytes;
    transfer->peer_device = RF_NO_INDEX;
    transfer->source_device = transfer->source_context = RF_NO_INDEX;
    transfer->target_device = transfer->target_context = RF_NO_INDEX;
    op->detail = transfers->n++;
    return transfer;
}

void fake_cause(rf_recording *rec, uint32_t thread, uint32_t call, struct rf_gpu_op *op)
{
    struct rf_call *by = &rec->calls[thread].call[call];
    uint32_t *link = &by->first_op;
    while (*link != RF_NO_INDEX)
        link = &rec->op[*link].next_op;
    *link = (uint32_t)(op - rec->op);
    op->thread = thread;
    op->call = call;
    op->correlation = by->correlation;
}

struct rf_counter *fake_counter(rf_recording *rec, uint32_t device, uint32_t process,
                                const char *set, const char *name)
{
    struct rf_counter *counter = add(&rec->counter, rec->n_counters++, sizeof(*counter));
    counter->device = device;
    counter->process = process;
    counter->set = fake_string(rec, set);
    counter->name = fake_string(rec, name);
    for (int i = 0; i < 2; i++) { /* its times, its values */
        void *memory = calloc(FAKE_MOST_SAMPLES, sizeof(int64_t));
        if (memory == NULL || rf_samples_keep(rec, memory) != RF_OK)
            abort();
    }
    return counter;
}

void fake_sample(rf_recording *rec, int64_t ns, double value)
{
    struct rf_counter *counter = &rec->counter[rec->n_counters - 1];
    int64_t *all_ns = rec->column[rec->n_columns - 2];
    double *all_values = rec->column[rec->n_columns - 1];
    if (counter->n_samples == FAKE_MOST_SAMPLES)
        abort();
    all_ns[counter->n_samples] = ns;
    all_values[counter->n_samples++] = value;
    counter->ns = all_ns;
    counter->value = all_values;
    rec->info.n_samples++;
}

struct rf_nvtx_counter *fake_nvtx_counter(rf_recording *rec, uint32_t domain)
{
    struct rf_nvtx_counter *nvtx = malloc(sizeof(*nvtx));
    if (nvtx == NULL || rf_samples_keep(rec, nvtx) != RF_OK)
        abort();
    *nvtx = (struct rf_nvtx_counter){.domain = domain,
                                     .thread = RF_NO_INDEX,
                                     .description = RF_NO_STRING,
                                     .unit = RF_NO_STRING,
                                     .scope = RF_NO_STRING,
                                     .scale_numerator = 1,
                                     .scale_denominator = 1,
                                     .factor = 1};
    rec->counter[rec->n_counters - 1].nvtx = nvtx;
    return nvtx;
}

void fake_free(rf_recording *rec)
{
    rf_close(rec);
}
