/* SPDX-License-Identifier: Apache-2.0 */
/* The subscription to CUPTI. */
#ifndef RF_CUDA_CUPTI_SUBSCRIPTION_H
#define RF_CUDA_CUPTI_SUBSCRIPTION_H

#include <stdbool.h>

/* Looks up CUPTI's functions. False: one that is needed is missing, which was reported. */
bool rf_cuda_find_functions(void);

/* Subscribes to CUPTI and registers our buffers. False: it does not start, which was reported. */
bool rf_cuda_subscribe(void);
void rf_cuda_unsubscribe(void);

/* Enables CUPTI's callbacks of calls and resources. */
void rf_cuda_enable_callbacks(void);

/* Shall CUPTI zero the buffers that it gets? It does so by default, on the thread that launches. */
void rf_cuda_let_cupti_zero(bool shall);

#endif
