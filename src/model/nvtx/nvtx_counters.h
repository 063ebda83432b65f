/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_NVTX_NVTX_COUNTERS_H
#define RF_MODEL_NVTX_NVTX_COUNTERS_H

struct rf_load;

/* The step that makes counters of the samples. Threads have their final places. */
int rf_load_nvtx_counters(struct rf_load *load);

#endif
