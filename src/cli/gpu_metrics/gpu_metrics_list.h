/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a chip. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_LIST_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_LIST_H

#include <stdbool.h>

#include "rangefinder/pm_sampling.h"

/* Prints the metrics whose names match a pattern (* and ?, or a part of a name; case does not
 * matter) with all that is known of each; NULL: all names. A metric with a submetric: that one.
 * Returns an exit status, after a message where it is not CLI_OK. */
int gpu_metrics_print_list(rf_pm_chip *chip, const char *pattern, bool is_json);

#endif
