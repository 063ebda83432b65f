/* SPDX-License-Identifier: Apache-2.0 */
/* What a collector writes to metrics.log: the chunks of docs/format.md, section 10. */
#ifndef RF_CLI_GPU_METRICS_METRICS_CHUNKS_H
#define RF_CLI_GPU_METRICS_METRICS_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/pm_sampling.h"

struct metrics_collector;
struct metrics_writer;

/* Writes what is sampled: once, before any sample. */
void metrics_chunks_describe(struct metrics_collector *gpu);

/* n samples from the first on, and their values. Returns 0, or -1 where they are not written. */
int metrics_chunks_write_rows(struct metrics_writer *writer, const struct rf_pm_data_info *info,
                              size_t first, size_t n, const double *values);

/* Notes that about n samples are missing between the last one and end_ns. */
void metrics_chunks_write_loss(struct metrics_writer *writer, int64_t end_ns, uint64_t n);

#endif
