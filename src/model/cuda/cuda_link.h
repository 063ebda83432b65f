/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_LINK_H
#define RF_MODEL_CUDA_CUDA_LINK_H

struct rf_load;

/* When the calls are in rec->calls, and rec->info is set: everything in its final order. */
int rf_load_cuda_link(struct rf_load *load);

#endif
