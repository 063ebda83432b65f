/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_sampler.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/drain/bus_guard.h"
#include "cli/gpu_metrics/metrics_collector.h"
#include "cli/gpu_metrics/metrics_file.h"
#include "cli/say.h"
#include "log/capture.h"
#include "log/ticks.h"

#define WATCH_NS    2000000LL    /* how often to look for the beginning of a capture */
#define PATIENCE_NS 2000000000LL /* how long a capture waits for its samples */

/* A GPU and the thread that decodes its samples: one thread does not keep up with several GPUs. */
struct sampled_gpu {
    struct cli_gpu_sampler *sampler;
    struct metrics_collector collector;
    pthread_t thread;
    bool is_running;     /* the thread was started */
    bool is_sampling;    /* the thread's, as is */
    uint32_t phase;      /* phase of the captures whose samples are collected */
    uint32_t done_phase; /* up to which samples are in the file; the sampler's lock */
};

struct cli_gpu_sampler {
    const struct profile_options *options;
    const struct rf_control *control;
    struct sampled_gpu *gpu;
    size_t n_gpus;
    struct metrics_file file;
    bool is_focused;

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool must_stop;
};

/* ---- Which GPUs ---- */

/* "0 (NVIDIA H200), 1 (...)" */
static void list_gpus(char *list, size_t size, size_t n)
{
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    list[0] = '\0';
    for (size_t i = 0; i < n && strlen(list) + sizeof(device.name) < size; i++) {
        size_t at = strlen(list);
        bool is_known = rf_pm_device_describe(i, &device, NULL) == 0;
        (void)snprintf(list + at, size - at, "%s%zu%s%s%s", i > 0 ? ", " : "", i,
                       is_known ? " (" : "", is_known ? device.name : "", is_known ? ")" : "");
    }
}

static int check_devices(const struct gpu_metrics_options *metrics, size_t n)
{
    char list[2048];
    for (size_t i = 0; i < metrics->n_devices; i++) {
        if (metrics->device[i] < n)
            continue;
        list_gpus(list, sizeof(list), n);
        cli_say("'--gpu-metrics-devices=%s': there is no GPU %" PRIu32 "; there is %s",
                metrics->devices, metrics->device[i], list);
        return CLI_USAGE;
    }
    return CLI_OK;
}

/* Opens the GPUs that can be sampled; prints a message for the others. */
static void open_gpus(struct cli_gpu_sampler *s, size_t n_there)
{
    const struct gpu_metrics_options *metrics = &s->options->metrics;
    size_t n = metrics->is_all ? n_there : metrics->n_devices;
    s->gpu = calloc(n, sizeof(*s->gpu));
    for (size_t i = 0; s->gpu != NULL && i < n; i++) {
        struct rf_pm_error err;
        struct metrics_collector *gpu = &s->gpu[s->n_gpus].collector;
        size_t device = metrics->is_all ? i : metrics->device[i];
        if (metrics_collector_open(gpu, device, (uint32_t)s->n_gpus, s->options, &err) == 0)
            s->n_gpus++;
        else
            cli_say("GPU metrics of GPU %zu are not recorded: %s", device, err.text);
    }
}

static void release(struct cli_gpu_sampler *s)
{
    for (size_t i = 0; i < s->n_gpus; i++)
        metrics_collector_close(&s->gpu[i].collector);
    metrics_file_close(&s->file);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->gpu);
    free(s);
}

static struct cli_gpu_sampler *new_sampler(const struct profile_options *options)
{
    struct cli_gpu_sampler *s = calloc(1, sizeof(*s));
    pthread_condattr_t attributes;
    if (s == NULL)
        return NULL;
    s->options = options;
    s->file.fd = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return s;
}

int cli_gpu_sampler_open(struct cli_gpu_sampler **out, const struct profile_options *options)
{
    struct rf_pm_error err = {.status = 0};
    size_t n = 0;
    *out = NULL;
    if (!options->metrics.is_wanted)
        return CLI_OK;
    if (rf_pm_device_count(&n, &err) < 0 || n == 0) {
        cli_say("GPU metrics are not recorded: %s",
                err.status != 0 ? err.text : "CUDA shows no GPU to this process");
        return CLI_OK;
    }
    int status = check_devices(&options->metrics, n);
    struct cli_gpu_sampler *s = status == CLI_OK ? new_sampler(options) : NULL;
    if (s == NULL)
        return status;
    open_gpus(s, n);
    if (s->n_gpus > 0)
        *out = s;
    else
        release(s);
    return CLI_OK;
}

/* ---- The threads ---- */

static void begin(struct sampled_gpu *gpu)
{
    metrics_collector_start(&gpu->collector);
    gpu->is_sampling = true;
}

static void end(struct sampled_gpu *gpu)
{
    metrics_collector_stop(&gpu->collector);
    gpu->is_sampling = false;
}

static void say_done(struct sampled_gpu *gpu, uint32_t phase)
{
    struct cli_gpu_sampler *s = gpu->sampler;
    metrics_collector_drain(&gpu->collector);
    (void)pthread_mutex_lock(&s->lock);
    gpu->done_phase = phase;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Samples while a capture is on. One may have ended and the next one begun since the last check. */
static void follow(struct sampled_gpu *gpu)
{
    uint64_t word = rf_capture_word(gpu->sampler->control);
    uint32_t phase = rf_capture_phase(word);
    if (phase == gpu->phase)
        return;
    gpu->phase = phase;
    if (!rf_capture_is_on(word) && gpu->is_sampling)
        end(gpu);
    else if (gpu->is_sampling)
        metrics_collector_decode(&gpu->collector);
    else if (rf_capture_is_on(word))
        begin(gpu);
    say_done(gpu, phase);
}

/* Waits until a time of CLOCK_MONOTONIC. Returns whether sampling must end. */
static bool sleep_until(struct cli_gpu_sampler *s, int64_t ns)
{
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    int code = 0;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->must_stop && code == 0) /* other threads' say_done() wakes, too */
        code = pthread_cond_timedwait(&s->changed, &s->lock, &until);
    bool must_stop = s->must_stop;
    (void)pthread_mutex_unlock(&s->lock);
    return must_stop;
}

static void *run(void *context)
{
    struct sampled_gpu *gpu = context;
    struct cli_gpu_sampler *s = gpu->sampler;
    const int64_t period = gpu->collector.period_ns;
    int64_t next = rf_clock_ns(CLOCK_MONOTONIC) + period;
    bool must_stop = false;
    while (!must_stop) {
        int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
        int64_t look = s->is_focused && now + WATCH_NS < next ? now + WATCH_NS : next;
        must_stop = sleep_until(s, look);
        if (s->is_focused)
            follow(gpu);
        now = rf_clock_ns(CLOCK_MONOTONIC);
        if (now < next)
            continue;
        if (gpu->is_sampling)
            metrics_collector_decode(&gpu->collector);
        next = next + period > now ? next + period : now + period;
    }
    if (gpu->is_sampling)
        end(gpu);
    return NULL;
}

static void start_thread(struct sampled_gpu *gpu)
{
    sigset_t all, before;
    bus_guard_thread_mask(&all); /* signals are the main thread's */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&gpu->thread, NULL, run, gpu);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    gpu->is_running = code == 0;
    if (code != 0)
        cli_say("GPU metrics of GPU %zu are not recorded: cannot start a thread: %s",
                gpu->collector.index, strerror(code));
}

void cli_gpu_sampler_start(struct cli_gpu_sampler *s, const struct session_dir *session)
{
    if (s == NULL)
        return;
    s->control = session->control;
    s->is_focused = session->control->records_all == 0;
    if (metrics_file_open(&s->file, session) != 0)
        return;
    for (size_t i = 0; i < s->n_gpus; i++) {
        s->gpu[i].sampler = s;
        metrics_collector_write_to(&s->gpu[i].collector, &s->file);
    }
    for (size_t i = 0; i < s->n_gpus; i++) {
        if (!s->is_focused)
            begin(&s->gpu[i]);
        start_thread(&s->gpu[i]);
    }
}

/* ---- Afterwards ---- */

bool cli_gpu_sampler_has_come(const struct cli_gpu_sampler *s, int64_t real_ns)
{
    for (size_t i = 0; s != NULL && i < s->n_gpus; i++)
        if (s->gpu[i].is_running &&
            metrics_writer_reached_ns(&s->gpu[i].collector.writer) < real_ns)
            return false;
    return true;
}

static bool is_behind(const struct cli_gpu_sampler *s, uint32_t phase)
{
    for (size_t i = 0; i < s->n_gpus; i++)
        if (s->gpu[i].is_running &&
            ((s->gpu[i].done_phase - phase) & RF_CAPTURE_PHASE_MASK) > RF_CAPTURE_PHASE_MASK / 2)
            return true;
    return false;
}

void cli_gpu_sampler_wait(struct cli_gpu_sampler *s, uint32_t number)
{
    if (s == NULL)
        return;
    int64_t ns = rf_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    uint32_t phase = (2 * number + 2) & RF_CAPTURE_PHASE_MASK;
    int code = 0;
    (void)pthread_mutex_lock(&s->lock);
    while (code == 0 && is_behind(s, phase))
        code = pthread_cond_timedwait(&s->changed, &s->lock, &until);
    (void)pthread_mutex_unlock(&s->lock);
}

void cli_gpu_sampler_stop(struct cli_gpu_sampler *s)
{
    if (s == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    s->must_stop = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->n_gpus; i++)
        if (s->gpu[i].is_running)
            (void)pthread_join(s->gpu[i].thread, NULL);
    for (size_t i = 0; i < s->n_gpus; i++) {
        if (!s->gpu[i].is_running)
            continue;
        metrics_collector_drain(&s->gpu[i].collector);
        metrics_collector_say(&s->gpu[i].collector, s->options->is_quiet);
    }
    release(s);
}
