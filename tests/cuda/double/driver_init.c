/* SPDX-License-Identifier: Apache-2.0 */
/* cuInit(): loads the library that CUDA_INJECTION64_PATH names as the driver does, then looks for
 * devices. RF_DOUBLE_DEVICES: how many there are; RF_DOUBLE_DRIVER: the driver's version. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

struct driver_init {
    pthread_mutex_t lock;
    pid_t injected;    /* the process whose InitializeInjection() has answered */
    pid_t initialized; /* the process whose cuInit() has succeeded */
    bool is_exiting;
};

static struct driver_init state = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool driver_is_initialized(void)
{
    return state.initialized == getpid();
}

bool driver_is_exiting(void)
{
    return __atomic_load_n(&state.is_exiting, __ATOMIC_ACQUIRE);
}

uint32_t driver_n_devices(void)
{
    uint64_t n = double_setting("RF_DOUBLE_DEVICES", 2);
    return (uint32_t)(n < DRIVER_MAX_DEVICES ? n : DRIVER_MAX_DEVICES);
}

static void note_exit(void)
{
    __atomic_store_n(&state.is_exiting, true, __ATOMIC_RELEASE);
}

/* One path only, of at most 1023 characters; whatever is wrong with it is passed over. */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (state.injected == getpid() || !path || !*path || strlen(path) > 1023)
        return;
    void *library = dlopen(path, RTLD_NOW);
    int (*initialize)(void) = NULL;
    if (library)
        *(void **)&initialize = dlsym(library, "InitializeInjection");
    if (initialize && initialize() != 0)
        state.injected = getpid();
    else if (library) {
        driver_note_refusal();
        dlclose(library); /* and again at the next cuInit() */
    }
}

/* A process whose parent has initialised cannot use CUDA any more. Handlers of exit() run in
 * reverse order: registered last, ours is before those of the injected library. */
DOUBLE_EXPORT uint32_t cuInit(uint32_t flags);
uint32_t cuInit(uint32_t flags)
{
    if (flags)
        return CUDA_INVALID_VALUE;
    pthread_mutex_lock(&state.lock);
    inject();
    bool has_device = driver_n_devices() > 0;
    if (has_device && !state.initialized) {
        atexit(note_exit);
        state.initialized = getpid();
    }
    uint32_t result = state.initialized == getpid() ? 0 : CUDA_NOT_INITIALIZED;
    pthread_mutex_unlock(&state.lock);
    return has_device ? result : CUDA_NO_DEVICE;
}

DOUBLE_EXPORT uint32_t cuDriverGetVersion(int *version);
uint32_t cuDriverGetVersion(int *version)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuDriverGetVersion);
    *version = (int)double_setting("RF_DOUBLE_DRIVER", 13000);
    return driver_gpu.end(&call, 0);
}
