/* SPDX-License-Identifier: Apache-2.0 */
/* GPU metrics while a program is recorded: threads of this process, one for each GPU, that sample
 * hardware counters; the samples are appended to the session's metrics.log (docs/format.md, section
 * 10). In a focused run they sample while a capture is on.
 *
 *  * A GPU that cannot be sampled is reported in one line, and the program is recorded without it.
 */
#ifndef RF_CLI_GPU_METRICS_GPU_SAMPLER_H
#define RF_CLI_GPU_METRICS_GPU_SAMPLER_H

#include <stdint.h>

#include "cli/profile/profile_options.h"

struct cli_gpu_sampler;

/* Opens the GPUs that the options name, and chooses the metrics. Afterwards the process must only
 * fork children that call exec. *out is NULL where nothing is sampled. Returns CLI_OK; or CLI_USAGE
 * after a message where there is no such GPU. */
int cli_gpu_sampler_open(struct cli_gpu_sampler **out, const struct profile_options *options);

/* Starts the threads; the session must outlive it. In a run that is recorded whole, sampling is on
 * when this returns. NULL is accepted, also below. */
void cli_gpu_sampler_start(struct cli_gpu_sampler *sampler, const struct session_dir *session);

/* A capture (number from 0) has ended: waits until its samples are in the file, two seconds at
 * most. */
void cli_gpu_sampler_wait(struct cli_gpu_sampler *sampler, uint32_t number);

/* Whether the samples up to this time (CLOCK_REALTIME) are in the file. Any thread; of a run that
 * is recorded whole. */
bool cli_gpu_sampler_has_come(const struct cli_gpu_sampler *sampler, int64_t real_ns);

/* Writes the remaining samples, prints what was lost, releases the GPUs and frees the sampler. */
void cli_gpu_sampler_stop(struct cli_gpu_sampler *sampler);

#endif
