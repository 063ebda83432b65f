/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records become ours. */
#ifndef RF_CUDA_RECORDS_CONVERT_H
#define RF_CUDA_RECORDS_CONVERT_H

#include <stddef.h>
#include <stdint.h>

/* Writes all records of a buffer to this thread's stream; returns their number. */
uint64_t rf_cuda_convert(uint8_t *buffer, size_t size);

/* Records that CUPTI dropped n records. */
void rf_cuda_record_dropped(uint64_t n);

#endif
