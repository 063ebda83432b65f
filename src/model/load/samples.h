/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of counters while they are loaded. Several counters may have their samples in one
 * piece of memory, and share times, so that the recording owns the memory and not the counter. */
#ifndef RF_MODEL_LOAD_SAMPLES_H
#define RF_MODEL_LOAD_SAMPLES_H

#include "model/recording.h"

/* Gives memory from malloc() to the recording; it is freed where that fails. NULL is accepted.
 * Returns 0 or RF_ERR_NO_MEMORY. */
int rf_samples_keep(rf_recording *rec, void *memory);

/* Frees what the recording was given. */
void rf_samples_release(rf_recording *rec);

/* Sorts n times and, in the same way, columns of n values, one behind the other. Those at one time
 * stay in their order. Returns 0 or RF_ERR_NO_MEMORY. */
int rf_samples_sort(int64_t *ns, size_t n, double *value, size_t n_columns);

#endif
