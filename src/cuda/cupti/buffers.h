/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers that CUPTI fills. */
#ifndef RF_CUDA_CUPTI_BUFFERS_H
#define RF_CUDA_CUPTI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void rf_cuda_prepare_buffers(void);

/* Unmaps the buffers that CUPTI does not have. */
void rf_cuda_release_buffers(void);

/* Does CUPTI have a buffer from before the last end of a capture or request of a snapshot, or is
 * one being read? */
bool rf_cuda_has_older_buffers(void);

/* CUPTI's callbacks. */
void rf_cuda_request(uint8_t **buffer, size_t *size, size_t *max_records);
void rf_cuda_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                      size_t valid_size);

#endif
