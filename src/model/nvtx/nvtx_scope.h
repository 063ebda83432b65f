/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_NVTX_NVTX_SCOPE_H
#define RF_MODEL_NVTX_NVTX_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct rf_load;

/* A scope of a domain as a string: its path, or a word for a predefined one; RF_NO_STRING: none.
 * *status is set when out of memory. */
uint32_t rf_nvtx_scope(struct rf_load *load, uint32_t domain, uint64_t scope, int *status);

/* Whether a scope is the thread on which something happens. */
bool rf_nvtx_is_thread_scope(uint64_t scope);

#endif
