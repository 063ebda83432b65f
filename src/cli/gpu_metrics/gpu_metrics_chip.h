/* SPDX-License-Identifier: Apache-2.0 */
/* The chip that a request is about. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_CHIP_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_CHIP_H

#include "rangefinder/pm_sampling.h"

/* Opens the chip of this name. NULL: the chip of the machine's first GPU; without a GPU, the first
 * chip of the set (which may be NULL) that CUPTI knows. */
int gpu_metrics_open_chip(const char *name, const struct rf_pm_set *set, rf_pm_chip **chip);

/* Says what is wrong. Returns CLI_FAILED. */
int gpu_metrics_fail(const struct rf_pm_error *err);

#endif
