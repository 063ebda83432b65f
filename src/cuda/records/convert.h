/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records become ours. */
#ifndef RF_CUDA_RECORDS_CONVERT_H
#define RF_CUDA_RECORDS_CONVERT_H

#include <stddef.h>
#include <stdint.h>

/* A kind of records that costs time, and so is made only while a capture is on. */
struct rf_cuda_wanted_kind {
    uint8_t kind; /* enum rf_cupti_kind */
    /* the bit of rf_control.cuda that must be set (or, negative, must not be); 0: none */
    int8_t condition;
};

/* Calls come before the work that they launch. */
extern const struct rf_cuda_wanted_kind rf_cuda_kinds[];
extern const size_t rf_n_cuda_kinds;

/* Writes all records of a buffer to this thread's stream; returns their number. */
uint64_t rf_cuda_convert(uint8_t *buffer, size_t size);

/* Records that CUPTI dropped n records. */
void rf_cuda_record_dropped(uint64_t n);

#endif
