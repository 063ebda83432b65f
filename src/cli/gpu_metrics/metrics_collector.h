/* SPDX-License-Identifier: Apache-2.0 */
/* One GPU that is sampled while a program is recorded, and the file that its samples go to. Used by
 * one thread at a time; an error is printed in one line, and ends the sampling of the GPU. */
#ifndef RF_CLI_GPU_METRICS_METRICS_COLLECTOR_H
#define RF_CLI_GPU_METRICS_METRICS_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/gpu_metrics/metrics_writer.h"
#include "cli/gpu_metrics/sample_room.h"
#include "cli/profile/profile_options.h"
#include "rangefinder/pm_sampling.h"

#define METRICS_COLLECTOR_MAX_PERIOD_NS 100000000LL

struct metrics_collector {
    rf_pm_collector *collector; /* NULL: sampling has ended */
    struct rf_pm_device device;
    size_t index;
    char chip[32];
    const struct rf_pm_set *set;
    struct rf_pm_choice *choice;
    uint32_t hz;
    uint64_t interval; /* nanoseconds or cycles, by */
    int trigger;       /* enum rf_pm_trigger */
    int64_t period_ns; /* how often to decode */
    struct sample_room room;
    int64_t decoded_ns; /* CLOCK_MONOTONIC of the last decode or start */
    bool is_started;
    unsigned n_empty; /* consecutive decodes that gave nothing without saying that this was all */
    uint64_t n_overflows;
    struct metrics_writer writer;
};

/* Opens a GPU and chooses what is sampled. On failure nothing is held. */
int metrics_collector_open(struct metrics_collector *gpu, size_t index, uint32_t slot,
                           const struct profile_options *options, struct rf_pm_error *err);
void metrics_collector_close(struct metrics_collector *gpu);

/* Describes the GPU in the file; what is decoded goes there from now on. */
void metrics_collector_write_to(struct metrics_collector *gpu, struct metrics_file *file);

void metrics_collector_start(struct metrics_collector *gpu);

/* Hands over the samples since the last call. */
void metrics_collector_decode(struct metrics_collector *gpu);

/* Stops sampling, and hands over the remaining samples. */
void metrics_collector_stop(struct metrics_collector *gpu);

/* Waits until what was handed over is written. */
void metrics_collector_drain(struct metrics_collector *gpu);

/* Prints the number of samples, unless is_quiet, and what was lost. */
void metrics_collector_say(const struct metrics_collector *gpu, bool is_quiet);

#endif
