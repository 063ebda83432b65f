/* SPDX-License-Identifier: Apache-2.0 */
/* Whether metrics fit in one pass. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_CHECK_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_CHECK_H

#include "rangefinder/pm_sampling.h"

#include <stdbool.h>
#include <stddef.h>

/* Prints whether metrics fit in one pass. Returns CLI_OK where they do, else CLI_FAILED. */
int gpu_metrics_print_check(rf_pm_chip *chip, const char *const *metrics, size_t n, bool is_json);

#endif
