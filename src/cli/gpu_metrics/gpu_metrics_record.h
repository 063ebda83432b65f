/* SPDX-License-Identifier: Apache-2.0 */
/* `rangefinder gpu-metrics record`. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_RECORD_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_RECORD_H

struct cli_command;

/* Its options. */
extern const struct cli_command gpu_metrics_record_command;

/* argv: what follows. Returns the exit status. */
int gpu_metrics_record(int argc, char **argv);

#endif
