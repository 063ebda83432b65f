/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PMSAMPLING_PM_DOUBLE_DRIVER_H
#define TESTS_PMSAMPLING_PM_DOUBLE_DRIVER_H

#include <stdbool.h>

#include "pm_double.h"

struct pm_double_driver {
    int devices;
    int version;
    int init; /* what cuInit() returns */
    bool is_initialized;
    unsigned contexts; /* primary contexts that are retained */
};

/* Exported by the library. */
struct pm_double_driver *pm_double_driver(void);

#endif
