/* SPDX-License-Identifier: Apache-2.0 */
/* What this process has once: the loaded libcupti, whether its profiler is initialized, and who
 * samples which device. A forked child begins with nothing but the library. */
#ifndef RF_PMSAMPLING_PM_LIBRARY_H
#define RF_PMSAMPLING_PM_LIBRARY_H

#include "pmsampling/pm_abi.h"
#include "rangefinder/pm_sampling.h"

struct pm_library {
    struct pm_cupti call;
    struct rf_pm_library_info info;
};

/* Loads it where that has not been done. It stays loaded. NULL: *err says what was tried. */
const struct pm_library *pm_library_get(struct rf_pm_error *err);

/* cuptiProfilerInitialize and DeInitialize, counted: the latter crashes when called once too often.
 * The CUDA driver must have been initialized. */
int pm_library_hold(const struct pm_library *library, struct rf_pm_error *err);
void pm_library_release(const struct pm_library *library);

/* Both, one after the other, by a holder that has just disabled sampling of its device: that undoes
 * the former in some versions, and whatever is enabled next fails. Where others hold it, nothing.
 */
int pm_library_renew(const struct pm_library *library, struct rf_pm_error *err);

/* A device that is sampled by this process; part of its collector. */
struct pm_session {
    struct pm_session *next;
    size_t device;
};

/* Enters a session. RF_PM_ERR_ENABLED: this process samples the device already. */
int pm_session_enter(struct pm_session *session, size_t device, struct rf_pm_error *err);

/* Harmless where it was not entered. */
void pm_session_leave(struct pm_session *session);

#endif
