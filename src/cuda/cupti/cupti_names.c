/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels and of CUDA's functions, and which functions are recorded. */
#include "cuda/cupti/cupti_names.h"

#include <string.h>

#include "cuda/cuda_state.h"
#include "cuda/cupti/muted_calls.h"
#include "log/cuda.h"
#include "record/names/defs.h"
#include "record/names/interned.h"

uint32_t rf_cuda_kernel_handle(struct rf_cuda_name_cache *cache, const char *name)
{
    if (name == NULL)
        return 0;
    uint64_t mixed = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ULL;
    uint32_t i = (uint32_t)(mixed >> 32) % RF_CUDA_CACHED_NAMES;
    if (RF_UNLIKELY(cache->name[i] != name)) {
        cache->handle[i] =
            rf_intern(RF_REC_CUDA_DEF, RF_CUDA_DEF_KERNEL, 0, name, &rf_cuda.n_kernels);
        cache->name[i] = name;
    }
    return cache->handle[i];
}

/* ---- Functions ---- */

/* A bit for each function, by its number. Today's versions have fewer than 900. */
#define MAX_FUNCTIONS 4096u
static uint64_t named[2][MAX_FUNCTIONS / 64];     /* their names are recorded; atomic */
static uint64_t launching[2][MAX_FUNCTIONS / 64]; /* they launch work; atomic */

static bool is_in(const uint16_t *list, size_t n, uint32_t cbid)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == cbid)
            return true;
    return false;
}

static bool is_muted(int domain, uint32_t cbid)
{
    if ((rf_cuda.options & RF_CUDA_ALL_APIS) != 0)
        return false;
    return domain == RF_CUPTI_DOMAIN_RUNTIME
               ? is_in(rf_muted_runtime_calls, RF_N_MUTED_RUNTIME_CALLS, cbid)
               : is_in(rf_muted_driver_calls, RF_N_MUTED_DRIVER_CALLS, cbid);
}

/* By the name of a function, also a name that nvcc uses, such as __cudaLaunchKernel. */
static bool launches(const char *name)
{
    static const char *const prefixes[] = {"Launch", "Memcpy", "Memset", "GraphLaunch"};
    while (*name == '_')
        name++;
    const char *verb = name + (strncmp(name, "cuda", 4) == 0 ? 4 : 2);
    if (strncmp(name, "cu", 2) != 0 || strncmp(verb, "LaunchHostFunc", 14) == 0)
        return false;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(verb, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void define_function(int domain, uint32_t cbid)
{
    const char *name = NULL;
    if (rf_cuda.cupti.get_callback_name(domain, cbid, &name) != RF_CUPTI_SUCCESS || name == NULL)
        return;
    if (launches(name))
        (void)__atomic_fetch_or(&launching[domain == RF_CUPTI_DOMAIN_DRIVER][cbid / 64],
                                1ULL << cbid % 64, __ATOMIC_RELAXED);
    uint32_t function = cbid | (domain == RF_CUPTI_DOMAIN_DRIVER ? RF_CUDA_DRIVER_FUNCTION : 0);
    (void)rf_defs_add(RF_REC_CUDA_DEF, function, RF_CUDA_DEF_FUNCTION, 0, 0, name, strlen(name));
}

bool rf_cuda_define_function(int domain, uint32_t cbid)
{
    if (cbid >= MAX_FUNCTIONS)
        return true;
    uint64_t bit = 1ULL << cbid % 64;
    uint64_t *word = &named[domain == RF_CUPTI_DOMAIN_DRIVER][cbid / 64];
    if (RF_LIKELY((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) != 0))
        return true;
    /* CUPTI before CUDA 12.5 cannot mute them */
    if (is_muted(domain, cbid))
        return false;
    if ((__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) == 0)
        define_function(domain, cbid);
    return true;
}

bool rf_cuda_is_launch(int domain, uint32_t cbid)
{
    if (cbid >= MAX_FUNCTIONS)
        return false;
    const uint64_t *word = &launching[domain == RF_CUPTI_DOMAIN_DRIVER][cbid / 64];
    return (__atomic_load_n(word, __ATOMIC_RELAXED) >> cbid % 64 & 1) != 0;
}

void rf_cuda_mute_functions(void)
{
    const struct rf_cupti *cupti = &rf_cuda.cupti;
    if ((rf_cuda.options & RF_CUDA_ALL_APIS) != 0)
        return;
    for (size_t i = 0; i < RF_N_MUTED_RUNTIME_CALLS && cupti->enable_runtime_api != NULL; i++)
        (void)cupti->enable_runtime_api(rf_muted_runtime_calls[i], 0);
    for (size_t i = 0; i < RF_N_MUTED_DRIVER_CALLS && cupti->enable_driver_api != NULL; i++)
        (void)cupti->enable_driver_api(rf_muted_driver_calls[i], 0);
}
