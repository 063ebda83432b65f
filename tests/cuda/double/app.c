/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses CUDA, as far as the stand-ins have it. Each argument is one step, WORD or
 * WORD=VALUE; steps in a value are joined by '+'. See steps[] at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app_names.h"
#include "app_ranges.h"
#include "app_session.h"
#include "app_system.h"
#include "cudart.h"
#include "nvtx3/nvToolsExt.h"

#define MAX_STREAMS 16

struct app {
    const char *path;
    cudaStream_t streams[MAX_STREAMS];
    cudaEvent_t event;
    bool checks_errno;
};

static struct app app;
static __thread unsigned current; /* stream, 0: the default one */

static struct double_kernel kernels[] = {
    {"_Z9vectorAddPKfS0_Pfi", 5000, 16},
    {"_ZN3net7forwardIfEEvPT_i", 7000, 32},
    {"plain_c_kernel", 3000, 8},
};

static void run_step(char *step);

static void run_steps(const char *steps)
{
    char *rest, *copy = strdup(steps);
    for (char *step = strtok_r(copy, "+", &rest); step; step = strtok_r(NULL, "+", &rest))
        run_step(step);
    free(copy);
}

static void check(int result, const char *what)
{
    if (result)
        printf("%s: %d\n", what, result);
}

static cudaStream_t stream(void)
{
    return app.streams[current];
}

static unsigned long long number(const char *value)
{
    return value ? strtoull(value, NULL, 0) : 1;
}

/* ---- Annotations ---- */

static void do_mark(const char *value)
{
    nvtxMarkA(value);
}

static void do_push(const char *value)
{
    nvtxRangePushA(value);
}

static void do_pop(const char *value)
{
    (void)value;
    nvtxRangePop();
}

static void do_name(const char *value)
{
    app_name_stream(stream(), value);
}

static void do_name_event(const char *value)
{
    app_name_event(app.event, value);
}

/* DEVICE:NAME */
static void do_name_device(const char *value)
{
    char *name;
    int device = (int)strtol(value, &name, 10);
    app_name_device(device, *name ? name + 1 : name);
}

static void do_name_context(const char *value)
{
    app_name_context(value);
}

/* ---- CUDA ---- */

static void do_init(const char *value)
{
    (void)value;
    check(cudaFree(NULL), "init");
}

static void do_launch(const char *value)
{
    struct dim3 grid = {4, 2, 1}, block = {128, 1, 1};
    unsigned long long n = number(value);
    for (unsigned long long i = 0; i < n; i++) {
        int result = cudaLaunchKernel(&kernels[i % 3], grid, block, NULL, 64, stream());
        if (result) {
            check(result, "launch");
            return;
        }
    }
}

/* By what nvcc makes of <<<>>>. */
static void do_nvcc(const char *value)
{
    struct dim3 grid = {4, 2, 1}, block = {128, 1, 1};
    for (unsigned long long n = number(value); n > 0; n--)
        check(double_launch(&kernels[0], grid, block, stream()), "nvcc");
}

/* N kernels of NCCL. */
static void do_collective(const char *value)
{
    static struct double_kernel kernel = {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 300, 96};
    struct dim3 grid = {4, 2, 1}, block = {128, 1, 1};
    for (unsigned long long n = number(value); n > 0; n--)
        check(cudaLaunchKernel(&kernel, grid, block, NULL, 64, stream()), "collective");
}

static void do_reset(const char *value)
{
    (void)value;
    check(cudaDeviceReset(), "reset");
}

static void do_duration(const char *value)
{
    for (int i = 0; i < 3; i++)
        kernels[i].duration_ns = number(value);
}

static void do_driver(const char *value)
{
    uint32_t (*launch)(const void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                       uint32_t, void *, void **, void **);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&launch = driver ? dlsym(driver, "cuLaunchKernel") : NULL;
    for (unsigned long long i = 0; i < number(value) && launch; i++)
        check((int)launch(&kernels[0], 8, 1, 1, 64, 1, 1, 0, stream(), NULL, NULL), "driver");
}

static void do_copy(const char *value)
{
    check(cudaMemcpyAsync(NULL, NULL, number(value), cudaMemcpyHostToDevice, stream()), "copy");
}

static void do_copy_back(const char *value)
{
    check(cudaMemcpy(NULL, NULL, number(value), cudaMemcpyDeviceToHost), "copy-back");
}

static void do_peer(const char *value)
{
    check(cudaMemcpyPeerAsync(NULL, 1, NULL, 0, number(value), stream()), "peer");
}

static void do_set(const char *value)
{
    check(cudaMemsetAsync(NULL, 7, number(value), stream()), "set");
}

static void do_alloc(const char *value)
{
    void *address;
    check(cudaMalloc(&address, number(value)), "alloc");
    check(cudaFree(address), "free");
}

static void do_stream(const char *value)
{
    current = (unsigned)number(value) % MAX_STREAMS;
    if (current && !app.streams[current])
        check(cudaStreamCreate(&app.streams[current]), "stream");
}

static void do_graph(const char *value)
{
    static uint32_t n_graphs;
    struct double_graph graph = {++n_graphs, (uint32_t)number(value), &kernels[1]};
    check(cudaGraphLaunch(&graph, stream()), "graph");
}

static void do_event(const char *value)
{
    (void)value;
    if (!app.event)
        check(cudaEventCreate(&app.event), "event");
    check(cudaEventRecord(app.event, stream()), "event");
}

static void do_event_sync(const char *value)
{
    (void)value;
    check(cudaEventSynchronize(app.event), "event-sync");
}

static void do_wait_event(const char *value)
{
    (void)value;
    check(cudaStreamWaitEvent(stream(), app.event, 0), "wait-event");
}

static void do_stream_sync(const char *value)
{
    (void)value;
    check(cudaStreamSynchronize(stream()), "stream-sync");
}

static void do_sync(const char *value)
{
    (void)value;
    check(cudaDeviceSynchronize(), "sync");
}

/* Calls that nobody wants to see. */
static void do_noise(const char *value)
{
    int device;
    for (unsigned long long i = 0; i < number(value); i++) {
        check(cudaGetDevice(&device), "noise");
        check(cudaGetLastError(), "noise");
    }
}

static void do_start(const char *value)
{
    (void)value;
    check(cudaProfilerStart(), "start");
}

static void do_stop(const char *value)
{
    (void)value;
    check(cudaProfilerStop(), "stop");
}

/* ---- Another user of CUPTI in the same process ---- */

static _Alignas(8) uint8_t foreign_buffer[1 << 20];

static void foreign_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = foreign_buffer;
    *size = sizeof foreign_buffer;
    *max_records = 0;
}

static void foreign_complete(void *context, uint32_t id, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)id, (void)buffer, (void)size, (void)valid;
}

/* A library that uses CUPTI without subscribing to it: some of its buffers are out when another one
 * comes, and they stay its own. */
#define MAX_LENT 64
static uint8_t *lent[MAX_LENT];
static unsigned n_lent;

static void lend(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *size = 1 << 20;
    *max_records = 0;
    *buffer = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*buffer == MAP_FAILED || n_lent == MAX_LENT)
        abort();
    lent[n_lent++] = *buffer;
}

static void *foreign_function(const char *name)
{
    void *library = dlopen(getenv("RANGEFINDER_CUPTI"), RTLD_NOW);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function)
        abort();
    return function;
}

static void do_foreign(const char *value)
{
    int (*take)(void (*)(uint8_t **, size_t *, size_t *),
                void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
    int (*enable)(int);
    (void)value;
    *(void **)&take = foreign_function("cuptiActivityRegisterCallbacks");
    *(void **)&enable = foreign_function("cuptiActivityEnable");
    check(take(lend, foreign_complete), "foreign");
    check(enable(5), "foreign"); /* calls of the runtime */
}

/* Its buffers are there still, and go. */
static void do_foreign_end(const char *value)
{
    (void)value;
    for (unsigned i = 0; i < n_lent; i++) {
        memset(lent[i], 0, 1 << 20);
        munmap(lent[i], 1 << 20);
    }
    if (!n_lent)
        puts("foreign: no buffer was asked for");
    n_lent = 0;
}

static void do_replace(const char *value)
{
    int (*take)(void (*)(uint8_t **, size_t *, size_t *),
                void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
    void *library = dlopen("libcupti.so.12", RTLD_NOW | RTLD_NOLOAD);
    (void)value;
    *(void **)&take = library ? dlsym(library, "cuptiActivityRegisterCallbacks") : NULL;
    if (take)
        check(take(foreign_request, foreign_complete), "replace");
    else
        puts("replace: no libcupti");
}

/* ---- Processes, threads, time ---- */

static void do_sleep(const char *value)
{
    struct timespec pause = {(time_t)(number(value) / 1000),
                             (long)(number(value) % 1000) * 1000000};
    while (nanosleep(&pause, &pause) != 0)
        ;
}

static void do_fork(const char *value)
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run_steps(value);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        printf("fork: %d\n", status);
}

static void do_exec(const char *value)
{
    char *arguments[64] = {(char *)app.path}, *rest;
    char *copy = strdup(value);
    int n = 1;
    for (char *step = strtok_r(copy, "+", &rest); step && n < 63; step = strtok_r(NULL, "+", &rest))
        arguments[n++] = step;
    fflush(stdout);
    execv(app.path, arguments);
    check(1, "exec");
}

static void *thread_main(void *steps)
{
    run_steps(steps);
    return NULL;
}

/* N:STEPS, that often */
static void do_repeat(const char *value)
{
    char *steps;
    unsigned long n = strtoul(value, &steps, 10);
    for (unsigned long i = 0; i < n; i++)
        run_steps(*steps ? steps + 1 : steps);
}

/* N:STEPS */
static void do_threads(const char *value)
{
    pthread_t threads[64];
    char *steps;
    unsigned long n = strtoul(value, &steps, 10);
    for (unsigned long i = 0; i < n && i < 64; i++)
        if (pthread_create(&threads[i], NULL, thread_main, *steps ? steps + 1 : steps) != 0)
            abort();
    for (unsigned long i = 0; i < n && i < 64; i++)
        pthread_join(threads[i], NULL);
}

static void do_exit(const char *value)
{
    fflush(stdout);
    if (strcmp(value, "exit") == 0)
        exit(7);
    if (strcmp(value, "_exit") == 0)
        _exit(7);
    if (strcmp(value, "term") == 0)
        raise(SIGTERM);
    if (strcmp(value, "kill") == 0)
        raise(SIGKILL);
}

static void do_print(const char *value)
{
    puts(value);
    fflush(stdout);
}

static void do_errno(const char *value)
{
    (void)value;
    app.checks_errno = true;
}

static const struct step {
    const char *word;
    void (*run)(const char *value); /* NULL: there was none */
} steps[] = {
    {"mark", do_mark},
    {"push", do_push},
    {"pop", do_pop},
    {"start-range", app_start_range}, /* SLOT:NAME, of the thread */
    {"end-range", app_end_range},     /* SLOT */
    {"end-elsewhere", app_end_range_elsewhere},
    {"push-in", app_push_in}, /* NAME, in another domain */
    {"pop-in", app_pop_in},
    {"push-nccl", app_push_nccl},
    {"push-value", app_push_value}, /* VALUE:NAME */
    {"pop-nccl", app_pop_nccl},
    {"name", do_name}, /* of the current stream */
    {"name-event", do_name_event},
    {"name-device", do_name_device}, /* DEVICE:NAME */
    {"name-context", do_name_context},
    {"init", do_init},
    {"launch", do_launch},     /* N kernels of the runtime */
    {"driver", do_driver},     /* N of the driver */
    {"duration", do_duration}, /* of kernels from now on, ns */
    {"stream", do_stream},     /* from now on; made where it is not there */
    {"copy", do_copy},         /* bytes */
    {"copy-back", do_copy_back},
    {"peer", do_peer},
    {"set", do_set},
    {"alloc", do_alloc}, /* and free */
    {"graph", do_graph}, /* of N nodes */
    {"event", do_event},
    {"event-sync", do_event_sync},
    {"wait-event", do_wait_event},
    {"stream-sync", do_stream_sync},
    {"sync", do_sync},
    {"noise", do_noise},
    {"nvcc", do_nvcc},
    {"collective", do_collective},
    {"reset", do_reset},
    {"start", do_start},
    {"stop", do_stop},
    {"replace", do_replace},
    {"foreign", do_foreign},
    {"foreign-end", do_foreign_end},
    {"sleep", do_sleep},       /* ms */
    {"await", app_await_call}, /* WORD_WORD:N: of RF_DOUBLE_CALLS, until there are N */
    {"fork", do_fork},         /* steps of the child, which is waited for */
    {"exec", do_exec},         /* of a new program */
    {"threads", do_threads},
    {"repeat", do_repeat},
    {"exit", do_exit},
    {"cuinit", app_init_driver},
    {"masks", app_print_masks},
    {"handler", app_handle_term},
    {"limit", app_limit_memory}, /* MiB from now on */
    {"print", do_print},
    {"errno", do_errno}, /* from now on it is said where push, pop or name change it */
    {"stand-by", app_stand_by},
    {"begin", app_begin_session}, /* its name */
    {"end", app_end_session},
    {"sessions", app_repeat_sessions}, /* NAME:N, on a thread of their own */
    {"join", app_join_sessions},
};

static bool is_annotation(const char *word)
{
    return strcmp(word, "push") == 0 || strcmp(word, "pop") == 0 || strcmp(word, "name") == 0;
}

static void run(const struct step *step, const char *value)
{
    errno = EXDEV;
    step->run(value);
    if (app.checks_errno && is_annotation(step->word) && errno != EXDEV)
        printf("%s: errno %d\n", step->word, errno);
}

static void run_step(char *text)
{
    char *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : strlen(text);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strlen(steps[i].word) == length && memcmp(steps[i].word, text, length) == 0) {
            run(&steps[i], value ? value + 1 : NULL);
            return;
        }
    fprintf(stderr, "no step '%s'\n", text);
    exit(2);
}

int main(int argc, char **argv)
{
    app.path = argv[0];
    for (int i = 1; i < argc; i++)
        run_step(argv[i]);
    return 0;
}
