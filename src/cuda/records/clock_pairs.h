/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_CUDA_RECORDS_CLOCK_PAIRS_H
#define RF_CUDA_RECORDS_CLOCK_PAIRS_H

#include <stdint.h>

/* Pairs CUPTI's clock with ours, if the last pair is old enough. Called by our thread only. */
void rf_cuda_add_clock(int64_t min_age_ns);

#endif
