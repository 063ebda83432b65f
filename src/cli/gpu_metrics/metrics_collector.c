/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/metrics_collector.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/amounts.h"
#include "cli/gpu_metrics/metrics_chunks.h"
#include "cli/say.h"
#include "log/ticks.h"

#define SYS_HZ      1400000000.0 /* approximate SYS clock of chips without a timer */
#define AT_ONCE     512u /* samples between two decodes, where that is more often than usual */
#define IN_A_ROW_NS 200000000LL  /* how long it decodes while there are more samples, */
#define AT_END_NS   1000000000LL /* and after the end */
#define N_EMPTY     20           /* decodes without samples and reason before it waits for more */
#define EMPTY_US    1000

/* ---- Taking a GPU ---- */

/* Chooses how often to decode, and for how many samples a decode has room. */
static void set_pace(struct metrics_collector *gpu)
{
    gpu->period_ns = (int64_t)AT_ONCE * 1000000000 / gpu->hz;
    if (gpu->period_ns > METRICS_COLLECTOR_MAX_PERIOD_NS)
        gpu->period_ns = METRICS_COLLECTOR_MAX_PERIOD_NS;
    sample_room_init(&gpu->room, (uint64_t)gpu->period_ns * gpu->hz / 1000000000, gpu->hz);
}

static void say_left_out(const struct metrics_collector *gpu)
{
    const struct rf_pm_choice *choice = gpu->choice;
    char list[2048] = "";
    size_t n = choice->n_missing + choice->n_left_out;
    for (size_t i = 0; i < n; i++) {
        const struct rf_pm_set_metric *metric =
            i < choice->n_missing ? choice->missing[i] : choice->left_out[i - choice->n_missing];
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, metric->label, sizeof(list) - strlen(list) - 1);
    }
    if (n > 0)
        cli_say("GPU %zu (%s): %zu of the metrics of set %s cannot be sampled and are left out: %s",
                gpu->index, gpu->chip, n, gpu->set->name, list);
}

static int choose(struct metrics_collector *gpu, const struct gpu_metrics_options *metrics,
                  struct rf_pm_error *err)
{
    struct rf_pm_collector_state state = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_chip *chip;
    (void)rf_pm_collector_get_state(gpu->collector, &state);
    (void)snprintf(gpu->chip, sizeof(gpu->chip), "%s", state.chip);
    gpu->set = metrics->set != NULL ? metrics->set : rf_pm_set_of_chip(gpu->chip);
    int status = rf_pm_collector_open_chip(gpu->collector, &chip, err);
    if (status != RF_PM_OK)
        return status;
    status = rf_pm_choose(chip, gpu->set, &gpu->choice, err);
    rf_pm_chip_close(chip);
    return status;
}

static int configure(struct metrics_collector *gpu, struct rf_pm_error *err)
{
    struct rf_pm_config config = RF_PM_CONFIG_INIT;
    const char **names = calloc(gpu->choice->n_chosen + 1, sizeof(*names));
    if (names == NULL) {
        (void)snprintf(err->text, sizeof(err->text), "out of memory");
        return RF_PM_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < gpu->choice->n_chosen; i++)
        names[i] = gpu->choice->chosen[i]->metric;
    gpu->trigger = rf_pm_chip_has_trigger(gpu->chip, RF_PM_TRIGGER_TIME) ? RF_PM_TRIGGER_TIME
                                                                         : RF_PM_TRIGGER_SYSCLK;
    gpu->interval =
        gpu->trigger == RF_PM_TRIGGER_TIME ? 1000000000 / gpu->hz : (uint64_t)(SYS_HZ / gpu->hz);
    config.metrics = names;
    config.n_metrics = gpu->choice->n_chosen;
    config.interval = gpu->interval;
    config.trigger = gpu->trigger;
    int status = rf_pm_collector_configure(gpu->collector, &config, err);
    free(names);
    return status;
}

int metrics_collector_open(struct metrics_collector *gpu, size_t index, uint32_t slot,
                           const struct profile_options *options, struct rf_pm_error *err)
{
    memset(gpu, 0, sizeof(*gpu));
    gpu->index = index;
    gpu->hz = options->metrics.hz;
    gpu->writer.slot = slot;
    gpu->writer.hz = gpu->hz;
    gpu->device.size = sizeof(gpu->device);
    set_pace(gpu);
    int status = rf_pm_device_describe(index, &gpu->device, err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_new(index, &gpu->collector, err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_enable(gpu->collector, err);
    if (status == RF_PM_OK)
        status = choose(gpu, &options->metrics, err);
    if (status == RF_PM_OK)
        status = configure(gpu, err);
    if (status != RF_PM_OK) {
        metrics_collector_close(gpu);
        return status;
    }
    if (gpu->trigger == RF_PM_TRIGGER_SYSCLK && !options->is_quiet)
        cli_say("GPU %zu (%s) has no timer for samples: one comes every %" PRIu64
                " cycles of its SYS clock, which is about %" PRIu32 " in a second",
                index, gpu->chip, gpu->interval, gpu->hz);
    if (!options->is_quiet)
        say_left_out(gpu);
    return RF_PM_OK;
}

void metrics_collector_close(struct metrics_collector *gpu)
{
    metrics_writer_stop(&gpu->writer);
    rf_pm_collector_free(gpu->collector);
    rf_pm_choice_free(gpu->choice);
    gpu->collector = NULL;
    gpu->choice = NULL;
}

static void give_up(struct metrics_collector *gpu, const struct rf_pm_error *err)
{
    cli_say("GPU metrics of GPU %zu are recorded no more: %s", gpu->index, err->text);
    metrics_writer_finish(&gpu->writer); /* nothing is evaluated while CUPTI's profiler ends */
    rf_pm_collector_free(gpu->collector);
    gpu->collector = NULL;
}

void metrics_collector_write_to(struct metrics_collector *gpu, struct metrics_file *file)
{
    gpu->writer.file = file;
    metrics_chunks_describe(gpu);
    metrics_writer_start(&gpu->writer, file);
}

/* ---- Samples ---- */

/* Work that is no samples. */
static void put(struct metrics_collector *gpu, enum metrics_work_kind kind)
{
    const struct metrics_work work = {.kind = kind, .ns = rf_clock_ns(CLOCK_REALTIME)};
    metrics_writer_put(&gpu->writer, &work);
}

void metrics_collector_start(struct metrics_collector *gpu)
{
    struct rf_pm_error err;
    if (gpu->collector == NULL)
        return;
    if (rf_pm_collector_start(gpu->collector, &err) < 0) {
        give_up(gpu, &err);
        return;
    }
    gpu->is_started = true;
    gpu->decoded_ns = rf_clock_ns(CLOCK_MONOTONIC);
    put(gpu, METRICS_BEGIN);
}

/* The hardware buffer was full: there are no more samples until sampling is restarted. */
static void restart(struct metrics_collector *gpu)
{
    struct rf_pm_error err;
    metrics_collector_drain(gpu); /* it ends CUPTI's profiler and begins it anew */
    int status = rf_pm_collector_restart(gpu->collector, &err);
    gpu->n_overflows++;
    put(gpu, METRICS_LOSS);
    if (status < 0)
        give_up(gpu, &err);
}

/* Is there something to read at once? It may be lost, too. While it samples CUPTI gives what has
 * come, and says neither that this was all nor that the image is full; the next decode goes on.
 * After a stop all has been read where CUPTI says so; before, it may give some samples or none. */
static bool is_more(struct metrics_collector *gpu, const struct rf_pm_data_info *info,
                    bool *is_torn)
{
    if (info->stop_reason == RF_PM_STOP_END_OF_RECORDS)
        return false;
    if (info->stop_reason == RF_PM_STOP_OTHER && gpu->is_started)
        return false;
    *is_torn = true;
    gpu->n_empty = info->n_completed == 0 ? gpu->n_empty + 1 : 0;
    if (gpu->n_empty > 0)
        (void)usleep(EMPTY_US);
    return gpu->n_empty < N_EMPTY;
}
/* Returns whether there is more. */
static int decode_once(struct metrics_collector *gpu)
{
    struct rf_pm_error err;
    struct metrics_work work = {.kind = METRICS_SAMPLES};
    int status = rf_pm_collector_decode(gpu->collector, gpu->room.n, &work.data, &err);
    if (status == RF_PM_ERR_OVERFLOW) {
        restart(gpu);
        return 0;
    }
    if (status != RF_PM_OK) {
        give_up(gpu, &err);
        return 0;
    }
    const struct rf_pm_data_info *info = rf_pm_data_get_info(work.data);
    const bool is_overflow = info->is_overflow;
    const bool goes_on = !is_overflow && is_more(gpu, info, &work.is_torn);
    metrics_writer_put(&gpu->writer, &work);
    if (is_overflow)
        restart(gpu);
    return goes_on;
}

/* Reads the available samples, for at most this long. */
static void decode_for(struct metrics_collector *gpu, int64_t for_ns)
{
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    const int64_t until = now + for_ns;
    bool goes_on = true;
    struct rf_pm_error err;
    if (gpu->collector != NULL && metrics_writer_has_failed(&gpu->writer, &err))
        give_up(gpu, &err);
    sample_room_fit(&gpu->room, (double)(now - gpu->decoded_ns) * gpu->hz / 1e9);
    gpu->decoded_ns = now;
    gpu->n_empty = 0;
    while (gpu->collector != NULL && goes_on && now < until) {
        goes_on = decode_once(gpu);
        now = rf_clock_ns(CLOCK_MONOTONIC);
    }
}

void metrics_collector_decode(struct metrics_collector *gpu)
{
    decode_for(gpu, IN_A_ROW_NS);
}

void metrics_collector_stop(struct metrics_collector *gpu)
{
    struct rf_pm_error err;
    if (gpu->collector == NULL || !gpu->is_started)
        return;
    if (rf_pm_collector_stop(gpu->collector, &err) < 0)
        give_up(gpu, &err);
    gpu->is_started = false;
    const struct metrics_work end = {.kind = METRICS_END, .ns = rf_clock_ns(CLOCK_REALTIME)};
    decode_for(gpu, AT_END_NS);
    metrics_writer_put(&gpu->writer, &end); /* no time to wait for all of them */
}

void metrics_collector_drain(struct metrics_collector *gpu)
{
    metrics_writer_drain(&gpu->writer);
}

void metrics_collector_say(const struct metrics_collector *gpu, bool is_quiet)
{
    const struct metrics_writer *w = &gpu->writer;
    char samples[32], lost[32];
    if (!is_quiet)
        cli_say("GPU %zu (%s): %s samples of %zu metrics", gpu->index, gpu->chip,
                rf_format_count(samples, sizeof(samples), w->n_samples), gpu->choice->n_chosen);
    if (w->n_lost > 0 || gpu->n_overflows > 0)
        cli_say("GPU %zu: about %s samples are lost%s; a lower --gpu-metrics-frequency helps",
                gpu->index, rf_format_count(lost, sizeof(lost), w->n_lost),
                gpu->n_overflows > 0 ? ": the hardware buffer was full"
                : w->is_slow         ? ": they came faster than they can be read"
                                     : "");
}
