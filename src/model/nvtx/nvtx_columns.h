/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_NVTX_NVTX_COLUMNS_H
#define RF_MODEL_NVTX_NVTX_COLUMNS_H

#include "model/nvtx/nvtx_load.h"
#include "rangefinder/rangefinder.h"

/* Makes the columns of a counter of n samples, which are brought in order. has: what it has besides
 * samples. Returns the memory in which the columns and counter->nvtx lie, one piece; NULL when out
 * of memory. */
void *rf_nvtx_columns_new(struct rf_counter *counter, const struct rf_nvtx_counter *has,
                          struct rf_nvtx_sample *sample, size_t n);

/* Adds a sample with a value of its own to a sum. number: enum rf_counter_number of its counter. */
void rf_nvtx_sum_sample(struct rf_sample_sum *sum, const struct rf_nvtx_sample *sample,
                        uint8_t number);

/* A limit of a type; bits: of an integer or a double. */
struct rf_counter_limit rf_nvtx_limit(enum rf_counter_number number, uint64_t bits);

#endif
