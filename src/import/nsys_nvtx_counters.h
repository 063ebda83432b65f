/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NVTX: RANGEFINDER_NVTX_COUNTERS and _COUNTER_SAMPLES, which our own exports have. */
#ifndef RF_IMPORT_NSYS_NVTX_COUNTERS_H
#define RF_IMPORT_NSYS_NVTX_COUNTERS_H

#include "import/nsys_load.h"

int nsys_load_nvtx_counters(struct nsys_load *load);

/* Adds them to the recording's: processes and threads have their final places. */
int nsys_finish_nvtx_counters(struct nsys_load *load);

/* NULL is accepted. */
void nsys_nvtx_counters_free(struct nsys_nvtx_counters *counters);

#endif
