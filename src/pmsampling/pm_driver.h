/* SPDX-License-Identifier: Apache-2.0 */
/* The little of the CUDA driver, libcuda.so.1, that sampling needs; loaded at run time. */
#ifndef RF_PMSAMPLING_PM_DRIVER_H
#define RF_PMSAMPLING_PM_DRIVER_H

#include <stddef.h>

#include "rangefinder/pm_sampling.h"

/* X(name, exported symbol, its parameters) */
#define PM_DRIVER_FUNCTIONS(X)                                                                     \
    X(init, "cuInit", (unsigned flags))                                                            \
    X(get_version, "cuDriverGetVersion", (int *version))                                           \
    X(get_count, "cuDeviceGetCount", (int *n))                                                     \
    X(get, "cuDeviceGet", (int *device, int index))                                                \
    X(get_name, "cuDeviceGetName", (char *name, int size, int device))                             \
    X(get_pci, "cuDeviceGetPCIBusId", (char *pci, int size, int device))                           \
    X(get_uuid, "cuDeviceGetUuid", (void *uuid, int device))                                       \
    X(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                            \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int device))

#define PM_POINTER(name, symbol, params) int(*name) params;
struct pm_driver {
    PM_DRIVER_FUNCTIONS(PM_POINTER)
};
#undef PM_POINTER

/* 12020 for CUDA 12.2; 0: no driver. Initializes nothing. */
int pm_driver_version(void);

/* Loads and initializes it. Returns an enum rf_pm_status: RF_PM_ERR_LIBRARY where there is no
 * driver, RF_PM_ERR_DEVICE where it has no GPU for us. */
int pm_driver_open(struct pm_driver *driver, struct rf_pm_error *err);

/* The driver's handle of device index. RF_PM_ERR_DEVICE. */
int pm_driver_device(const struct pm_driver *driver, size_t index, int *device,
                     struct rf_pm_error *err);

#endif
