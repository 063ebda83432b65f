/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_PATHS: what calls of CUDA and GPU work add up to by name, with the places of the shortest
 * and the longest, where neither are kept (cuda_stream.h). */
#ifndef RF_MODEL_CUDA_NAMED_WORK_H
#define RF_MODEL_CUDA_NAMED_WORK_H

#include "model/cuda/cuda_window.h"

struct rf_load;

/* Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. Collectives, which summaries list one by one,
 * are kept; sets load->needs_work where they need ranges and calls (of PyTorch). */
int rf_named_work_begin(struct rf_load *load);

int rf_named_work_add_call(struct rf_load *load, const struct rf_held_call *call);

/* call: NULL: it has none. */
int rf_named_work_add(struct rf_load *load, const struct rf_held_work *work,
                      const struct rf_held_call *call);

#endif
