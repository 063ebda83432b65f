/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_NVTX_NVTX_SAMPLES_H
#define RF_MODEL_NVTX_NVTX_SAMPLES_H

struct rf_load;

/* The step that reads the samples of NVTX's counters: the streams were decoded, domains are still
 * found by their handles. Threads that a counter names are marked as needed. */
int rf_load_nvtx_samples(struct rf_load *load);

#endif
