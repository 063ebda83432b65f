/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of metrics, ours and CUPTI's. The functions return an exit status, after a message where
 * it is not CLI_OK. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_SETS_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_SETS_H

#include <stdbool.h>

#include "rangefinder/pm_sampling.h"

/* The set of ours with this name; *out is NULL where there is none, which may then be one of
 * CUPTI's. CLI_FAILED: it is nearly the name of one of ours. */
int gpu_metrics_find_set(const char *name, const struct rf_pm_set **out);

/* Prints the sets of all families; needs no libcupti. */
int gpu_metrics_print_sets(bool is_json);

/* Prints a set, and what of it a chip has. set: NULL where the name is one of CUPTI's own sets. */
int gpu_metrics_print_set(rf_pm_chip *chip, const struct rf_pm_set *set, const char *name,
                          bool is_json);

#endif
