/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches to CUPTI, and leaves it. */
#ifndef RF_CUDA_CUDA_START_H
#define RF_CUDA_CUDA_START_H

#include <stdbool.h>

/* Subscribes to CUPTI and records. is_late: cuInit() has returned. False: CUDA cannot be recorded,
 * which was reported. */
bool rf_cuda_start(bool is_late);

/* Records what is left, and unsubscribes: it can be started again. False: CUPTI does not come back,
 * which was reported; it cannot be started again. */
bool rf_cuda_stop(void);

/* Hook: a capture may have begun or ended. */
void rf_cuda_capture_changed(void);

#endif
