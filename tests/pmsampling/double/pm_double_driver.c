/* SPDX-License-Identifier: Apache-2.0 */
/* The little of libcuda.so.1 that sampling asks for. RF_PM_DOUBLE_DRIVER="devices=2,version=12040,
 * init=100" sets it up, or pm_double_driver(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pm_double_driver.h"

static struct pm_double_driver driver = {.devices = 1, .version = 13000};

static int setting(const char *name, int otherwise)
{
    const char *all = getenv("RF_PM_DOUBLE_DRIVER");
    const char *at = all != NULL ? strstr(all, name) : NULL;
    return at != NULL ? atoi(at + strlen(name)) : otherwise;
}

__attribute__((constructor)) static void set_up(void)
{
    driver.devices = setting("devices=", driver.devices);
    driver.version = setting("version=", driver.version);
    driver.init = setting("init=", driver.init);
}

PM_DOUBLE_EXPORT struct pm_double_driver *pm_double_driver(void)
{
    return &driver;
}

PM_DOUBLE_EXPORT unsigned pm_double_contexts(void);
unsigned pm_double_contexts(void)
{
    return driver.contexts;
}

#define NOT_INITIALIZED 3
#define INVALID_DEVICE  101

static int check(int device)
{
    if (!driver.is_initialized)
        return NOT_INITIALIZED;
    return device >= 0 && device < driver.devices ? 0 : INVALID_DEVICE;
}

PM_DOUBLE_EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    driver.is_initialized = driver.init == 0;
    return flags == 0 ? driver.init : 1;
}

PM_DOUBLE_EXPORT int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = driver.version;
    return 0;
}

PM_DOUBLE_EXPORT int cuDeviceGetCount(int *n);
int cuDeviceGetCount(int *n)
{
    *n = driver.devices;
    return driver.is_initialized ? 0 : NOT_INITIALIZED;
}

PM_DOUBLE_EXPORT int cuDeviceGet(int *device, int index);
int cuDeviceGet(int *device, int index)
{
    *device = index;
    return check(index);
}

PM_DOUBLE_EXPORT int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    (void)snprintf(name, (size_t)size, "NVIDIA Stand-in %d", device);
    return check(device);
}

PM_DOUBLE_EXPORT int cuDeviceGetPCIBusId(char *pci, int size, int device);
int cuDeviceGetPCIBusId(char *pci, int size, int device)
{
    (void)snprintf(pci, (size_t)size, "0000:%02X:00.0", 0x18 + device);
    return check(device);
}

PM_DOUBLE_EXPORT int cuDeviceGetUuid(void *uuid, int device);
int cuDeviceGetUuid(void *uuid, int device)
{
    memset(uuid, 0x10 + device, 16);
    return check(device);
}

PM_DOUBLE_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &driver;
    driver.contexts++;
    return check(device);
}

PM_DOUBLE_EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    driver.contexts--;
    return check(device);
}
