/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_driver.h"

#include <dlfcn.h>

#include "pmsampling/pm_error.h"

#define CUDA_ERROR_NOT_INITIALIZED 3
#define CUDA_ERROR_NO_DEVICE       100

/* Loading it again only counts, and it stays loaded: CUPTI uses it, too. */
static void *load(void)
{
    return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

int pm_driver_version(void)
{
    int (*get_version)(int *) = NULL;
    int version = 0;
    void *handle = load();
    if (handle != NULL)
        *(void **)&get_version = dlsym(handle, "cuDriverGetVersion");
    return get_version != NULL && get_version(&version) == 0 ? version : 0;
}

static int fail_init(int code, struct rf_pm_error *err)
{
    switch (code) {
    case CUDA_ERROR_NO_DEVICE:
        return pm_fail(
            err, RF_PM_ERR_DEVICE,
            "there is no GPU: CUDA sees none (cuInit: 100); CUDA_VISIBLE_DEVICES and the "
            "container's devices decide what it sees");
    case CUDA_ERROR_NOT_INITIALIZED:
        return pm_fail(err, RF_PM_ERR_LIBRARY,
                       "CUDA cannot be used in this process (cuInit: 3): it was forked from one "
                       "that uses CUDA");
    default:
        return pm_fail(err, RF_PM_ERR_LIBRARY,
                       "CUDA cannot be used (cuInit: %d): is the driver loaded, and do its version "
                       "and libcuda's agree? nvidia-smi tells",
                       code);
    }
}

int pm_driver_open(struct pm_driver *driver, struct rf_pm_error *err)
{
    void *handle = load();
    if (handle == NULL) {
        const char *reason = dlerror();
        return pm_fail(err, RF_PM_ERR_LIBRARY,
                       "the CUDA driver cannot be loaded: %s: sampling needs NVIDIA's driver",
                       reason != NULL ? reason : "libcuda.so.1");
    }
#define PM_FIND(name, symbol, params)                                                              \
    *(void **)&driver->name = dlsym(handle, symbol);                                               \
    if (driver->name == NULL)                                                                      \
        return pm_fail(err, RF_PM_ERR_LIBRARY, "libcuda.so.1 lacks %s: the driver is too old",     \
                       symbol);
    PM_DRIVER_FUNCTIONS(PM_FIND)
#undef PM_FIND
    int code = driver->init(0);
    return code == 0 ? RF_PM_OK : fail_init(code, err);
}

int pm_driver_device(const struct pm_driver *driver, size_t index, int *device,
                     struct rf_pm_error *err)
{
    int n = 0;
    if (driver->get_count(&n) != 0 || n < 0)
        n = 0;
    if (index >= (size_t)n)
        return pm_fail(err, RF_PM_ERR_DEVICE, "there is no GPU %zu: CUDA sees %d, numbered from 0",
                       index, n);
    int code = driver->get(device, (int)index);
    if (code != 0)
        return pm_fail(err, RF_PM_ERR_DEVICE, "GPU %zu cannot be used (cuDeviceGet: %d)", index,
                       code);
    return RF_PM_OK;
}
