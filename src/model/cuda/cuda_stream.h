/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of CUDA and GPU work that are not kept: their records are read twice, each process's by the
 * time of their parts. First, before threads are listed, whose calls they are and on which streams
 * the work is; then which call caused which work (cuda_window.h), and what both add up to. Memory
 * does not grow with their number. */
#ifndef RF_MODEL_CUDA_CUDA_STREAM_H
#define RF_MODEL_CUDA_CUDA_STREAM_H

struct rf_load;

/* The first reading. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_cuda_stream_begin(struct rf_load *load);

/* The second one, in the final order of threads. Sets load->needs_work if all has to be read again,
 * and kept. */
int rf_cuda_stream_link(struct rf_load *load);

void rf_cuda_stream_release(struct rf_load *load);

#endif
