/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder gpu-metrics` prints for people. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_OUTPUT_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_OUTPUT_H

#include <stddef.h>

#include "base/sink.h"

/* Returns CLI_OK, or CLI_FAILED after a message. */
int gpu_metrics_open_output(struct rf_sink *sink);

/* Writes what is left, and frees. Returns status. */
int gpu_metrics_close_output(struct rf_sink *sink, int status);

/* Writes the text in a column of this width, followed by at least one space. */
void gpu_metrics_put_cell(struct rf_sink *sink, const char *text, size_t width);

/* The number with its noun: "1 pass", "2 passes". */
void gpu_metrics_put_count(struct rf_sink *sink, size_t n, const char *one, const char *many);

#endif
