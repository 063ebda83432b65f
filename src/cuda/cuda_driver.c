/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cuda_driver.h"

#include <stddef.h>

#include "cuda/cuda_library.h"

void rf_cuda_driver_find(struct rf_cuda_driver *driver)
{
    *driver = (struct rf_cuda_driver){NULL, NULL, NULL, NULL};
    void *library = rf_library_open_mapped("libcuda.so.1");
    if (library == NULL)
        return;
    *(void **)&driver->get_version = rf_library_symbol(library, "cuDriverGetVersion");
    *(void **)&driver->get_pci_bus_id = rf_library_symbol(library, "cuDeviceGetPCIBusId");
    *(void **)&driver->get_attribute = rf_library_symbol(library, "cuDeviceGetAttribute");
    *(void **)&driver->get_current_context = rf_library_symbol(library, "cuCtxGetCurrent");
}

int rf_cuda_driver_version(void)
{
    struct rf_cuda_driver driver;
    int version = 0;
    rf_cuda_driver_find(&driver);
    return driver.get_version != NULL && driver.get_version(&version) == 0 ? version : 0;
}

bool rf_cuda_is_driver_ready(void)
{
    struct rf_cuda_driver driver;
    void *context;
    rf_cuda_driver_find(&driver);
    /* not 0: CUDA_ERROR_NOT_INITIALIZED */
    return driver.get_current_context != NULL && driver.get_current_context(&context) == 0;
}
