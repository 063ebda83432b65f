/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred events: a program submits them later than they happened, with their times. */
#ifndef RF_MODEL_NVTX_NVTX_DEFERRED_H
#define RF_MODEL_NVTX_NVTX_DEFERRED_H

struct rf_load;

/* The step that puts them on threads. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_load_deferred(struct rf_load *load);

#endif
