/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated GPU. Work in one stream runs in order, streams beside each other; nothing is
 * computed: a piece of work is an interval on the true clock, known as soon as it is launched. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

#define LAUNCH_LATENCY_NS 2000u
#define COPY_BYTES_PER_NS 10u
#define NODE_GAP_NS       100u

struct gpu {
    pthread_mutex_t lock;
    const struct double_hooks *hooks; /* atomic */
    uint32_t correlation;             /* atomic */
    uint32_t n_streams, n_events;
    struct double_context *contexts[DRIVER_MAX_DEVICES];
    struct double_stream *null_streams[DRIVER_MAX_DEVICES];
    struct double_stream *streams[1024];
};

static struct gpu gpu = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t driver_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As CUDA does: by spinning, where it is set so. */
static void wait_until(uint64_t time)
{
    const bool spins = double_setting("RF_DOUBLE_SPIN", 0) != 0;
    uint64_t now = driver_now();
    while (spins && now < time)
        now = driver_now();
    if (time <= now)
        return;
    struct timespec left = {(time_t)((time - now) / 1000000000u),
                            (long)((time - now) % 1000000000u)};
    nanosleep(&left, NULL);
}

const struct double_hooks *driver_hooks(void)
{
    return __atomic_load_n(&gpu.hooks, __ATOMIC_ACQUIRE);
}

/* NULL: nobody is told; a forked child's calls fail and are no business of libcupti's. */
static const struct double_hooks *listener(void)
{
    return driver_is_initialized() ? driver_hooks() : NULL;
}

static void attach(const struct double_hooks *hooks)
{
    __atomic_store_n(&gpu.hooks, hooks, __ATOMIC_RELEASE);
}

/* Never 0, also where it wraps. */
uint32_t driver_correlation(void)
{
    uint32_t none = 0;
    uint32_t first = (uint32_t)double_setting("RF_DOUBLE_CORRELATION", 1) - 1;
    if (__atomic_load_n(&gpu.correlation, __ATOMIC_RELAXED) == 0)
        __atomic_compare_exchange_n(&gpu.correlation, &none, first, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    uint32_t id;
    do
        id = __atomic_add_fetch(&gpu.correlation, 1, __ATOMIC_RELAXED);
    while (id == 0);
    return id;
}

/* ---- Contexts, streams, events ---- */

struct double_context *driver_context(uint32_t device)
{
    return device < DRIVER_MAX_DEVICES ? gpu.contexts[device] : NULL;
}

static struct double_stream *add_stream(struct double_context *context)
{
    struct double_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        abort();
    pthread_mutex_lock(&gpu.lock);
    stream->id = 7 + 6 * gpu.n_streams; /* 7 is the default stream, as real ones number it */
    stream->context = context;
    if (gpu.n_streams < sizeof gpu.streams / sizeof *gpu.streams)
        gpu.streams[gpu.n_streams] = stream;
    gpu.n_streams++;
    pthread_mutex_unlock(&gpu.lock);
    return stream;
}

static void each_stream(void (*take)(struct double_stream *stream))
{
    uint32_t most = sizeof gpu.streams / sizeof *gpu.streams;
    pthread_mutex_lock(&gpu.lock);
    uint32_t n = gpu.n_streams < most ? gpu.n_streams : most;
    pthread_mutex_unlock(&gpu.lock);
    for (uint32_t i = 0; i < n; i++)
        take(gpu.streams[i]);
}

struct double_context *driver_make_context(uint32_t device)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    const struct double_hooks *hooks = listener();
    pthread_mutex_lock(&making);
    struct double_context *context = driver_context(device);
    if (!context && (context = calloc(1, sizeof *context))) {
        context->id = device + 1;
        context->device = device;
        struct double_stream *stream = add_stream(context);
        context->null_stream = stream->id;
        gpu.null_streams[device] = stream;
        gpu.contexts[device] = context;
        if (hooks) {
            hooks->context(context);
            hooks->stream(stream);
        }
    }
    pthread_mutex_unlock(&making);
    return context;
}

static struct double_stream *new_stream(struct double_call *call)
{
    struct double_stream *stream = add_stream(gpu.contexts[0]);
    const struct double_hooks *hooks = listener();
    (void)call;
    if (hooks)
        hooks->stream(stream);
    return stream;
}

static struct double_event *new_event(void)
{
    struct double_event *event = calloc(1, sizeof *event);
    if (!event)
        abort();
    event->id = __atomic_add_fetch(&gpu.n_events, 1, __ATOMIC_RELAXED);
    return event;
}

/* ---- Calls ---- */

static void begin(struct double_call *call, enum double_domain domain, uint32_t cbid)
{
    const struct double_hooks *hooks = listener();
    *call = (struct double_call){
        .domain = domain,
        .cbid = cbid,
        .correlation = driver_correlation(),
        .context = driver_context(0),
    };
    call->start = driver_now();
    if (hooks)
        hooks->call(call, false);
}

static uint32_t end(struct double_call *call, uint32_t result)
{
    const struct double_hooks *hooks = listener();
    call->result = result;
    call->context = driver_context(0);
    call->end = driver_now();
    driver_note_call(call);
    if (hooks)
        hooks->call(call, true);
    return result;
}

/* ---- Work ---- */

/* NULL: CUDA cannot be used in this process. */
static struct double_stream *real_stream(struct double_stream *stream)
{
    if (!driver_is_initialized())
        return NULL;
    return stream ? stream : gpu.null_streams[0];
}

static void place(struct double_op *op, const struct double_call *call,
                  const struct double_stream *stream)
{
    op->correlation = call->correlation;
    op->device = stream->context->device;
    op->context = stream->context->id;
    op->stream = stream->id;
}

static void tell(const struct double_op *op)
{
    const struct double_hooks *hooks = listener();
    driver_note_op(op);
    if (hooks)
        hooks->op(op);
}

/* Puts duration at the end of the stream's work. */
static void schedule(struct double_op *op, struct double_stream *stream, uint64_t duration)
{
    pthread_mutex_lock(&gpu.lock);
    uint64_t earliest = driver_now() + LAUNCH_LATENCY_NS;
    op->start = stream->ready > earliest ? stream->ready : earliest;
    op->end = op->start + duration;
    stream->ready = op->end;
    pthread_mutex_unlock(&gpu.lock);
}

static uint32_t run(struct double_call *call, struct double_op *op, struct double_stream *stream,
                    uint64_t duration)
{
    stream = real_stream(stream);
    if (!stream)
        return CUDA_NOT_INITIALIZED;
    place(op, call, stream);
    schedule(op, stream, duration);
    tell(op);
    return 0;
}

static uint32_t launch(struct double_call *call, const struct double_kernel *kernel,
                       const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                       struct double_stream *stream)
{
    struct double_op op = {
        .kind = OP_KERNEL, .name = kernel->name, .shared = shared, .registers = kernel->registers};
    for (int i = 0; i < 3; i++) {
        op.grid[i] = grid[i];
        op.block[i] = block[i];
    }
    return run(call, &op, stream, kernel->duration_ns);
}

static uint32_t copy(struct double_call *call, uint64_t bytes, uint8_t copy_kind,
                     struct double_stream *stream)
{
    struct double_op op = {.kind = OP_MEMCPY, .bytes = bytes, .copy_kind = copy_kind};
    return run(call, &op, stream, 1000 + bytes / COPY_BYTES_PER_NS);
}

static uint32_t copy_peer(struct double_call *call, uint64_t bytes, uint32_t source,
                          uint32_t target, struct double_stream *stream)
{
    struct double_op op = {
        .kind = OP_PEER_COPY, .bytes = bytes, .copy_kind = 10, .target_device = target};
    if (source != 0 || target >= driver_n_devices() || !driver_make_context(target))
        return CUDA_INVALID_VALUE;
    return run(call, &op, stream, 1000 + bytes / COPY_BYTES_PER_NS);
}

static uint32_t set(struct double_call *call, uint64_t bytes, uint32_t value,
                    struct double_stream *stream)
{
    struct double_op op = {.kind = OP_MEMSET, .bytes = bytes, .value = value};
    return run(call, &op, stream, 500 + bytes / (10 * COPY_BYTES_PER_NS));
}

/* Told of twice, as a whole and node by node: libcupti takes what it was asked for. */
static uint32_t launch_graph(struct double_call *call, const struct double_graph *graph,
                             struct double_stream *stream)
{
    struct double_op whole = {.kind = OP_GRAPH, .graph = graph->id};
    uint64_t each = graph->kernel->duration_ns + NODE_GAP_NS;
    uint32_t result = run(call, &whole, stream, each * graph->n_nodes);
    for (uint32_t i = 0; i < graph->n_nodes && result == 0; i++) {
        struct double_op node = whole;
        node.kind = OP_KERNEL;
        node.name = graph->kernel->name;
        node.registers = graph->kernel->registers;
        node.grid[0] = node.grid[1] = node.grid[2] = 1;
        node.block[0] = node.block[1] = node.block[2] = 1;
        node.start = whole.start + i * each;
        node.end = node.start + graph->kernel->duration_ns;
        node.node = ((uint64_t)graph->id << 32) + i + 1;
        tell(&node);
    }
    return result;
}

/* ---- Waiting, and what is no work of the GPU ---- */

static uint32_t wait_for(struct double_call *call, uint8_t type, const struct double_stream *stream,
                         uint32_t event, uint64_t until)
{
    struct double_op op = {.kind = OP_SYNC, .sync_type = type, .event = event};
    stream = real_stream((struct double_stream *)stream);
    if (!stream)
        return CUDA_NOT_INITIALIZED;
    place(&op, call, stream);
    if (type == 4 || type == 1)
        op.stream = UINT32_MAX;
    op.start = driver_now();
    if (type != 2) /* the stream waits, not the caller */
        wait_until(until);
    op.end = driver_now();
    tell(&op);
    return 0;
}

static uint32_t synchronize(struct double_call *call, struct double_stream *stream)
{
    if (!real_stream(stream))
        return CUDA_NOT_INITIALIZED;
    return wait_for(call, 3, stream, UINT32_MAX, real_stream(stream)->ready);
}

static uint32_t synchronize_all(struct double_call *call)
{
    uint64_t until = 0;
    if (!real_stream(NULL))
        return CUDA_NOT_INITIALIZED;
    pthread_mutex_lock(&gpu.lock);
    for (uint32_t i = 0; i < gpu.n_streams && i < sizeof gpu.streams / sizeof *gpu.streams; i++)
        if (gpu.streams[i]->ready > until)
            until = gpu.streams[i]->ready;
    pthread_mutex_unlock(&gpu.lock);
    return wait_for(call, 4, NULL, UINT32_MAX, until);
}

static uint32_t synchronize_event(struct double_call *call, struct double_event *event)
{
    return wait_for(call, 1, NULL, event->id, event->ready);
}

static uint32_t wait_event(struct double_call *call, struct double_stream *stream,
                           struct double_event *event)
{
    if (!real_stream(stream))
        return CUDA_NOT_INITIALIZED;
    pthread_mutex_lock(&gpu.lock);
    if (real_stream(stream)->ready < event->ready)
        real_stream(stream)->ready = event->ready;
    pthread_mutex_unlock(&gpu.lock);
    return wait_for(call, 2, stream, event->id, 0);
}

static uint32_t record_event(struct double_call *call, struct double_event *event,
                             struct double_stream *stream)
{
    struct double_op op = {.kind = OP_EVENT, .event = event->id};
    uint32_t result = run(call, &op, stream, 0);
    event->ready = op.end;
    return result;
}

static uint32_t memory(struct double_call *call, uint64_t address, uint64_t bytes, bool is_release)
{
    struct double_op op = {
        .kind = OP_MEMORY, .address = address, .bytes = bytes, .is_release = is_release};
    if (!real_stream(NULL))
        return CUDA_NOT_INITIALIZED;
    place(&op, call, real_stream(NULL));
    op.start = op.end = driver_now();
    tell(&op);
    return 0;
}

/* ---- For the others ---- */

DOUBLE_EXPORT uint32_t cuInit(uint32_t flags);

static uint32_t initialize(void)
{
    uint32_t result = cuInit(0);
    if (result == 0 && !driver_make_context(0))
        result = CUDA_NOT_INITIALIZED;
    return result;
}

const struct double_gpu driver_gpu = {
    .now = driver_now,
    .is_exiting = driver_is_exiting,
    .n_devices = driver_n_devices,
    .context = driver_context,
    .each_stream = each_stream,
    .attach = attach,
    .initialize = initialize,
    .begin = begin,
    .end = end,
    .launch = launch,
    .copy = copy,
    .copy_peer = copy_peer,
    .set = set,
    .launch_graph = launch_graph,
    .synchronize = synchronize,
    .synchronize_all = synchronize_all,
    .synchronize_event = synchronize_event,
    .wait_event = wait_event,
    .record_event = record_event,
    .memory = memory,
    .new_stream = new_stream,
    .new_event = new_event,
};

DOUBLE_EXPORT const struct double_gpu *rf_double_gpu(void);
const struct double_gpu *rf_double_gpu(void)
{
    return &driver_gpu;
}
