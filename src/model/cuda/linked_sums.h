/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_SUMS of captures: calls of CUDA and GPU work are added to the sums of cuda_sums.h when
 * work has found its call (cuda_stream.h), which says whether it belongs to a capture. */
#ifndef RF_MODEL_CUDA_LINKED_SUMS_H
#define RF_MODEL_CUDA_LINKED_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct rf_cuda_kernel;
struct rf_held_call;
struct rf_held_work;
struct rf_load;

/* Before records are read. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_linked_sums_begin(struct rf_load *load);

/* The shape of a kernel that may belong to a capture; UINT32_MAX: out of memory. */
uint32_t rf_linked_sums_shape(struct rf_load *load, const struct rf_cuda_kernel *kernel);

/* Takes a call, or a piece of work, of a capture. Those that are not selected are only counted. */
int rf_linked_sums_add_call(struct rf_load *load, const struct rf_held_call *call);
int rf_linked_sums_add_work(struct rf_load *load, const struct rf_held_work *work,
                            bool is_selected);

#endif
