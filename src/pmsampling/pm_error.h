/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a struct rf_pm_error: functions end with `return pm_fail(err, ...)`. */
#ifndef RF_PMSAMPLING_PM_ERROR_H
#define RF_PMSAMPLING_PM_ERROR_H

#include "base/sized.h"
#include "rangefinder/pm_sampling.h"

/* Stores status and the formatted text (cut to fit), and returns status. err may be NULL. */
int pm_fail(struct rf_pm_error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with what CUPTI said: function is its static name, code what it returned. */
int pm_fail_cupti(struct rf_pm_error *err, int status, int code, const char *function,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What a code of CUPTI becomes where nothing else is known: "WHAT: cuptiX failed: NAME (N)". */
int pm_fail_code(struct rf_pm_error *err, int code, const char *function, const char *what);

int pm_no_memory(struct rf_pm_error *err);

/* RF_PM_ERR_ARGUMENT: a pointer that the function needs is NULL. */
int pm_fail_null(struct rf_pm_error *err, const char *function);

/* What rf_sized_read() and rf_sized_write() found, as an error. what: "rf_pm_config". */
int pm_fail_sized(struct rf_pm_error *err, enum rf_sized found, const char *what);

#endif
