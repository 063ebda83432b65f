/* SPDX-License-Identifier: Apache-2.0 */
/* What a file that was just packed holds, counted without building the timeline or checking sums.
 */
#ifndef RF_CLI_SUMMARY_H
#define RF_CLI_SUMMARY_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define CLI_SUMMARY_N_CUDA 16

struct cli_summary {
    uint64_t n_ranges;
    uint64_t n_marks;
    uint64_t n_cuda[CLI_SUMMARY_N_CUDA]; /* records of CUDA by enum rf_cuda_kind */
    uint64_t n_cuda_untimed; /* among them: without a time, or that end before they start */
    uint64_t n_cuda_dropped; /* that CUPTI had no room for */
    uint64_t size_bytes;
    uint32_t n_processes;
    int is_estimate; /* a large recording: counted in a sample of its parts */
    uint64_t n_lost_records;
    uint64_t lost_bytes;
    uint64_t n_lost_defs;
    uint64_t n_failed_processes;
};

/* path: a packed file. */
int cli_summary_read(struct cli_summary *summary, const char *path, struct rf_err *err);

/* How much of CUDA is in it. */
uint64_t cli_summary_n_cuda(const struct cli_summary *summary);

/* Says path, size, events and losses. */
void cli_summary_say(const struct cli_summary *summary, const char *path);

/* Says what was lost, if anything. */
void cli_summary_say_losses(const struct cli_summary *summary);

#endif
