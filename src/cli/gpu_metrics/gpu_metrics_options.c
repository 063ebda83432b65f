/* SPDX-License-Identifier: Apache-2.0 */
/* The names and values are nsys's. */
#include "cli/gpu_metrics/gpu_metrics_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

#define MIN_HZ     10u
#define MAX_HZ     200000u
#define USUAL_HZ   10000u
#define MAX_DEVICE 4095u
#define MAX_SETS   64

/* ---- Which GPUs ---- */

/* Reads one number of a list. Returns the position after it, or NULL where it is not a number. */
static const char *parse_number(const char *p, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(p, &end, 10);
    if (*p < '0' || *p > '9' || errno != 0 || value > MAX_DEVICE || (*end != '\0' && *end != ','))
        return NULL;
    *number = (uint32_t)value;
    return end;
}

static bool add_device(struct gpu_metrics_options *metrics, uint32_t device)
{
    for (size_t i = 0; i < metrics->n_devices; i++)
        if (metrics->device[i] == device)
            return true;
    if (metrics->n_devices == GPU_METRICS_MAX_DEVICES)
        return false;
    metrics->device[metrics->n_devices++] = device;
    return true;
}

/* The last value given is used. */
static int parse_devices(struct gpu_metrics_options *metrics, const struct cli_parser *parser)
{
    const char *value = parser->value;
    metrics->devices = value;
    metrics->n_devices = 0;
    metrics->is_all = strcmp(value, "all") == 0 || strcmp(value, "cuda-visible") == 0;
    metrics->is_wanted = strcmp(value, "none") != 0;
    if (metrics->is_all || !metrics->is_wanted)
        return CLI_OK;
    for (const char *p = value;; p++) {
        uint32_t device;
        p = parse_number(p, &device);
        if (p == NULL || !add_device(metrics, device))
            return cli_usage_error(parser->command,
                                   "'--%s=%s': known are all, none, and numbers of GPUs, from 0 "
                                   "on, with commas between them",
                                   parser->option->name, value);
        if (*p == '\0')
            return CLI_OK;
    }
}

/* ---- What, and how often ---- */

const char *gpu_metrics_nearest_set(const char *name)
{
    const char *names[MAX_SETS];
    size_t n = 0;
    for (const struct rf_pm_set *set; n < MAX_SETS && (set = rf_pm_set_at(n)) != NULL;)
        names[n++] = set->name;
    return rf_nearest_name(name, names, n);
}

static int parse_set(struct gpu_metrics_options *metrics, const struct cli_parser *parser)
{
    /* nsys's numbers depend on its version and the machine's GPUs; 0 is always the GPUs' own set */
    metrics->set = rf_pm_set_named(parser->value);
    if (metrics->set != NULL || strcmp(parser->value, "0") == 0)
        return CLI_OK;
    const char *near = gpu_metrics_nearest_set(parser->value);
    return near != NULL ? cli_usage_error(parser->command,
                                          "'--%s=%s': there is no such set; did you mean '%s'?",
                                          parser->option->name, parser->value, near)
                        : cli_usage_error(parser->command,
                                          "'--%s=%s': there is no such set; 'rangefinder "
                                          "gpu-metrics --sets' lists them",
                                          parser->option->name, parser->value);
}

static int parse_frequency(struct gpu_metrics_options *metrics, const struct cli_parser *parser)
{
    char *end;
    errno = 0;
    unsigned long hz = strtoul(parser->value, &end, 10);
    if (parser->value[0] < '0' || parser->value[0] > '9' || *end != '\0' || errno != 0 ||
        hz < MIN_HZ || hz > MAX_HZ)
        return cli_usage_error(parser->command, "'--%s=%s' is not a number from %u to %u (Hz)",
                               parser->option->name, parser->value, MIN_HZ, MAX_HZ);
    metrics->hz = (uint32_t)hz;
    return CLI_OK;
}

void gpu_metrics_options_init(struct gpu_metrics_options *metrics)
{
    memset(metrics, 0, sizeof(*metrics));
    metrics->hz = USUAL_HZ;
}

int gpu_metrics_option(struct gpu_metrics_options *metrics, const struct cli_parser *parser)
{
    switch (parser->option->id) {
    case GPU_METRICS_DEVICES:
        return parse_devices(metrics, parser);
    case GPU_METRICS_SET:
        return parse_set(metrics, parser);
    case GPU_METRICS_FREQUENCY:
        return parse_frequency(metrics, parser);
    default:
        return CLI_OK;
    }
}
