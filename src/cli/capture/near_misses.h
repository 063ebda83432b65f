/* SPDX-License-Identifier: Apache-2.0 */
/* What nearly began a capture, and what to print when nothing did: nobody should wait an hour for
 * an empty file. */
#ifndef RF_CLI_CAPTURE_NEAR_MISSES_H
#define RF_CLI_CAPTURE_NEAR_MISSES_H

#include <stdbool.h>

#include "cli/profile/profile_options.h"

struct near_misses {
    uint32_t n_printed;
};

/* Prints what the recorders have noted, each once. */
void near_misses_say(struct near_misses *misses, const struct rf_control *control, bool is_quiet);

/* Prints what the recorders could not do: captures and triggers that were not counted. */
void near_misses_say_losses(const struct rf_control *control);

/* Prints how often events of another time were submitted while no capture was on. */
void near_misses_say_uncaptured(const struct rf_control *control);

/* Prints that the program ended before the last range of --capture-steps. */
void near_misses_say_steps(const struct rf_control *control);

/* Prints that no capture started, what was waited for, and the likely reason. */
void near_misses_explain(const struct profile_options *options, const struct rf_control *control,
                         const char *app_path);

/* Why cudaProfilerStart of this program cannot be seen; NULL: no reason is known. */
const char *near_misses_why_no_profiler(const char *app_path);

#endif
