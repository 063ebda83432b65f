/* SPDX-License-Identifier: Apache-2.0 */
/* Which GPUs are sampled, what, and how often: the options of `profile`, `launch` and `gpu-metrics
 * record`. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_OPTIONS_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "rangefinder/pm_sampling.h"

struct cli_parser;

enum {
    GPU_METRICS_DEVICES = 2000,
    GPU_METRICS_SET,
    GPU_METRICS_FREQUENCY,
};

#define GPU_METRICS_MAX_DEVICES 64

struct gpu_metrics_options {
    const char *devices; /* as given; NULL: not given */
    bool is_wanted;
    bool is_all;
    uint32_t device[GPU_METRICS_MAX_DEVICES]; /* as CUDA numbers them */
    size_t n_devices;
    const struct rf_pm_set *set; /* NULL: the chip's default */
    uint32_t hz;
};

/* Rows of a table: the options of GPU metrics. `what` and `help` are of --gpu-metrics-devices. */
#define GPU_METRICS_OPTIONS(what, help)                                                            \
    {GPU_METRICS_DEVICES, '\0', "gpu-metrics-devices", CLI_ARG_VALUE, what, help, NULL},           \
        {GPU_METRICS_DEVICES, '\0', "gpu-metrics-device", CLI_ARG_VALUE, NULL, NULL, NULL},        \
        {GPU_METRICS_SET,                                                                          \
         '\0',                                                                                     \
         "gpu-metrics-set",                                                                        \
         CLI_ARG_VALUE,                                                                            \
         "SET",                                                                                    \
         "The set of metrics to sample ('rangefinder gpu-metrics --sets' lists them). Default: "   \
         "the set for the GPU's chip.",                                                            \
         NULL},                                                                                    \
    {                                                                                              \
        GPU_METRICS_FREQUENCY, '\0', "gpu-metrics-frequency", CLI_ARG_VALUE, "HZ",                 \
            "Samples per second, 10 to 200000. Default: 10000.", NULL                              \
    }

/* No GPU is sampled. */
void gpu_metrics_options_init(struct gpu_metrics_options *metrics);

/* Applies one of the options of GPU metrics. Returns CLI_OK, or CLI_USAGE after a message. */
int gpu_metrics_option(struct gpu_metrics_options *metrics, const struct cli_parser *parser);

/* The set whose name is nearest to one that does not exist; NULL: none is near. */
const char *gpu_metrics_nearest_set(const char *name);

#endif
