/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a recording hold, counted record by record. */
#ifndef RF_LOG_COUNTS_H
#define RF_LOG_COUNTS_H

#include <stdint.h>

#define RF_COUNTS_N_CUDA 16

struct rf_counts {
    uint64_t n_records; /* of any type */
    uint64_t n_ranges;
    uint64_t n_marks;
    uint64_t n_cuda[RF_COUNTS_N_CUDA]; /* records of CUDA by enum rf_cuda_kind */
    uint64_t n_cuda_untimed; /* among them: without a time, or that end before they start */
    uint64_t n_cuda_dropped; /* that CUPTI had no room for, or that are not complete */
};

/* Adds the records of a part. size: of its records alone. Returns how many bytes of them are whole
 * records: less than size where it is damaged. */
uint64_t rf_counts_add(struct rf_counts *counts, const uint8_t *records, uint64_t size);

#endif
