/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of ours in a process that uses CUDA. */
#ifndef RF_CUDA_FLUSH_THREAD_H
#define RF_CUDA_FLUSH_THREAD_H

#include <stdbool.h>

bool rf_cuda_start_thread(void);
void rf_cuda_wake_thread(void);

/* Lets the thread write all that CUPTI has, and end. False: it did not come back in time. */
bool rf_cuda_stop_thread(void);

#endif
