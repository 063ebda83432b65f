/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's library, where the program has it: nothing here loads or initialises CUDA. */
#ifndef RF_CUDA_CUDA_DRIVER_H
#define RF_CUDA_CUDA_DRIVER_H

#include <stdbool.h>

/* NULL: the library has no such function. */
struct rf_cuda_driver {
    int (*get_version)(int *version);
    int (*get_pci_bus_id)(char *text, int size, int device);
    int (*get_attribute)(int *value, int attribute, int device);
    int (*get_current_context)(void **context);
};

void rf_cuda_driver_find(struct rf_cuda_driver *driver);

/* cuDriverGetVersion(); 0: there is no driver. */
int rf_cuda_driver_version(void);

/* Has cuInit() succeeded in this process? */
bool rf_cuda_is_driver_ready(void);

#endif
