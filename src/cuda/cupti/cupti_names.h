/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels and of CUDA's functions. */
#ifndef RF_CUDA_CUPTI_CUPTI_NAMES_H
#define RF_CUDA_CUPTI_CUPTI_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Kernels of one buffer by the address of their names. CUPTI owns the names, and may have freed
 * them when the next buffer comes. */
#define RF_CUDA_CACHED_NAMES 512u
struct rf_cuda_name_cache {
    const char *name[RF_CUDA_CACHED_NAMES];
    uint32_t handle[RF_CUDA_CACHED_NAMES];
};

/* Records the name if it is new. 0: name is NULL. */
uint32_t rf_cuda_kernel_handle(struct rf_cuda_name_cache *cache, const char *name);

/* Records the name of a function if it is new. False: calls of it are not wanted. */
bool rf_cuda_define_function(int domain, uint32_t cbid);

/* Keeps CUPTI from recording calls that are not wanted; after its kinds were enabled. */
void rf_cuda_mute_functions(void);

/* Does this function, whose name was recorded, launch work of the GPU? */
bool rf_cuda_is_launch(int domain, uint32_t cbid);

#endif
