/* SPDX-License-Identifier: Apache-2.0 */
/* May this process read a GPU's counters, and can they be read at all? Asked before CUPTI is, whose
 * answers are numbers. */
#ifndef RF_PMSAMPLING_PM_ACCESS_H
#define RF_PMSAMPLING_PM_ACCESS_H

#include <stdbool.h>

#include "pmsampling/pm_driver.h"
#include "pmsampling/pm_library.h"

/* Whether the driver keeps counters for administrators: 1, 0, or -1 where it does not say. proc:
 * "/proc", or what stands for it in a test. */
int pm_access_is_restricted(const char *proc);

/* Whether this process has CAP_SYS_ADMIN, or CAP_PERFMON, which newer drivers take as well. */
bool pm_access_has_capability(const char *proc);

/* RF_PM_ERR_PRIVILEGES where it is certain that the counters may not be read. */
int pm_access_check(const char *proc, struct rf_pm_error *err);

/* The same, of what CUPTI said. */
int pm_access_fail(int code, const char *function, struct rf_pm_error *err);

/* RF_PM_ERR_REFUSED where CUPTI says that the device cannot be sampled. device: the driver's. */
int pm_access_device(const struct pm_library *library, int device, size_t index,
                     struct rf_pm_error *err);

/* Who else may hold the counters: ": process 123 (nv-hostengine), ..." or "" where none is seen. */
void pm_access_holders(const char *proc, char *text, size_t size);

#endif
