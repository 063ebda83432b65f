/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of metrics, ours and CUPTI's. The functions return an exit status, after a message where
 * it is not CLI_OK. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_SETS_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_SETS_H

#include <stdbool.h>

#include "rangefinder/pm_sampling.h"

/* Finds our set of this name; *out is NULL where there is none: the name may be one of CUPTI's
 * sets. Returns CLI_FAILED after a message where the name is close to one of ours. */
int gpu_metrics_find_set(const char *name, const struct rf_pm_set **out);

/* Prints the sets of all families; needs no libcupti. */
int gpu_metrics_print_sets(bool is_json);

/* Prints a set, and which of its metrics a chip has. set: NULL where the name is one of CUPTI's own
 * sets. */
int gpu_metrics_print_set(rf_pm_chip *chip, const struct rf_pm_set *set, const char *name,
                          bool is_json);

#endif
