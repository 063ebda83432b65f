/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_error.h"

#include <stdarg.h>
#include <stdio.h>

#include "pmsampling/pm_abi.h"

static void fill(struct rf_pm_error *err, int status, int code, const char *function,
                 const char *format, va_list args)
{
    if (err == NULL)
        return;
    err->status = status;
    err->cupti = code;
    err->cupti_name = code == PM_SUCCESS ? "" : rf_pm_cupti_error_name(code);
    err->function = function;
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
}

int pm_fail(struct rf_pm_error *err, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, PM_SUCCESS, "", format, args);
    va_end(args);
    return status;
}

int pm_fail_cupti(struct rf_pm_error *err, int status, int code, const char *function,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, code, function, format, args);
    va_end(args);
    return status;
}

static int status_of(int code)
{
    switch (code) {
    case PM_OUT_OF_MEMORY:
        return RF_PM_ERR_NO_MEMORY;
    case PM_INVALID_METRIC_NAME:
        return RF_PM_ERR_METRIC;
    case PM_INVALID_CHIP_NAME:
        return RF_PM_ERR_CHIP;
    case PM_HARDWARE_BUSY:
    case PM_VIRTUALIZED_DEVICE:
    case PM_MULTIPLE_SUBSCRIBERS:
    case PM_CONFIDENTIAL_COMPUTING:
    case PM_CMP_DEVICE:
    case PM_MIG_DEVICE:
    case PM_SLI_DEVICE:
    case PM_WSL_DEVICE:
        return RF_PM_ERR_REFUSED;
    default:
        return RF_PM_ERR_CUPTI;
    }
}

int pm_fail_code(struct rf_pm_error *err, int code, const char *function, const char *what)
{
    return pm_fail_cupti(err, status_of(code), code, function, "%s: %s failed: %s (%d)", what,
                         function, rf_pm_cupti_error_name(code), code);
}

int pm_fail_null(struct rf_pm_error *err, const char *function)
{
    return pm_fail(err, RF_PM_ERR_ARGUMENT, "%s: an argument that it needs is NULL", function);
}

int pm_fail_sized(struct rf_pm_error *err, enum rf_sized found, const char *what)
{
    if (found == RF_SIZED_OK)
        return RF_PM_OK;
    if (found == RF_SIZED_UNSET)
        return pm_fail(err, RF_PM_ERR_ARGUMENT,
                       "the size of struct %s is not set: initialise it with its INIT macro", what);
    return pm_fail(err, RF_PM_ERR_UNSUPPORTED,
                   "struct %s has a member set that librangefinder %s does not know", what,
                   rf_version());
}

int pm_no_memory(struct rf_pm_error *err)
{
    return pm_fail(err, RF_PM_ERR_NO_MEMORY, "out of memory");
}

#define PM_STATUS_NAMES(X)                                                                         \
    X(RF_PM_OK)                                                                                    \
    X(RF_PM_ERR_NO_MEMORY)                                                                         \
    X(RF_PM_ERR_ARGUMENT)                                                                          \
    X(RF_PM_ERR_DEVICE)                                                                            \
    X(RF_PM_ERR_ORDER)                                                                             \
    X(RF_PM_ERR_ENABLED)                                                                           \
    X(RF_PM_ERR_LIBRARY)                                                                           \
    X(RF_PM_ERR_PRIVILEGES)                                                                        \
    X(RF_PM_ERR_OVERFLOW)                                                                          \
    X(RF_PM_ERR_CHIP)                                                                              \
    X(RF_PM_ERR_METRIC)                                                                            \
    X(RF_PM_ERR_PASSES)                                                                            \
    X(RF_PM_ERR_UNSUPPORTED)                                                                       \
    X(RF_PM_ERR_REFUSED)                                                                           \
    X(RF_PM_ERR_DATA)                                                                              \
    X(RF_PM_ERR_CUPTI)

const char *rf_pm_status_name(int status)
{
    switch (status) {
#define PM_CASE(name)                                                                              \
    case name:                                                                                     \
        return #name;
        PM_STATUS_NAMES(PM_CASE)
#undef PM_CASE
    default:
        return "unknown error";
    }
}

/* CUptiResult, as of CUDA 13.5. */
#define PM_CUPTI_NAMES(X)                                                                          \
    X(1, INVALID_PARAMETER)                                                                        \
    X(2, INVALID_DEVICE)                                                                           \
    X(3, INVALID_CONTEXT)                                                                          \
    X(4, INVALID_EVENT_DOMAIN_ID)                                                                  \
    X(5, INVALID_EVENT_ID)                                                                         \
    X(6, INVALID_EVENT_NAME)                                                                       \
    X(7, INVALID_OPERATION)                                                                        \
    X(8, OUT_OF_MEMORY)                                                                            \
    X(9, HARDWARE)                                                                                 \
    X(10, PARAMETER_SIZE_NOT_SUFFICIENT)                                                           \
    X(11, API_NOT_IMPLEMENTED)                                                                     \
    X(12, MAX_LIMIT_REACHED)                                                                       \
    X(13, NOT_READY)                                                                               \
    X(14, NOT_COMPATIBLE)                                                                          \
    X(15, NOT_INITIALIZED)                                                                         \
    X(16, INVALID_METRIC_ID)                                                                       \
    X(17, INVALID_METRIC_NAME)                                                                     \
    X(18, QUEUE_EMPTY)                                                                             \
    X(19, INVALID_HANDLE)                                                                          \
    X(20, INVALID_STREAM)                                                                          \
    X(21, INVALID_KIND)                                                                            \
    X(22, INVALID_EVENT_VALUE)                                                                     \
    X(23, DISABLED)                                                                                \
    X(24, INVALID_MODULE)                                                                          \
    X(25, INVALID_METRIC_VALUE)                                                                    \
    X(26, HARDWARE_BUSY)                                                                           \
    X(27, NOT_SUPPORTED)                                                                           \
    X(28, UM_PROFILING_NOT_SUPPORTED)                                                              \
    X(29, UM_PROFILING_NOT_SUPPORTED_ON_DEVICE)                                                    \
    X(30, UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES)                                           \
    X(31, UM_PROFILING_NOT_SUPPORTED_WITH_MPS)                                                     \
    X(32, CDP_TRACING_NOT_SUPPORTED)                                                               \
    X(33, VIRTUALIZED_DEVICE_NOT_SUPPORTED)                                                        \
    X(34, CUDA_COMPILER_NOT_COMPATIBLE)                                                            \
    X(35, INSUFFICIENT_PRIVILEGES)                                                                 \
    X(36, OLD_PROFILER_API_INITIALIZED)                                                            \
    X(37, OPENACC_UNDEFINED_ROUTINE)                                                               \
    X(38, LEGACY_PROFILER_NOT_SUPPORTED)                                                           \
    X(39, MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)                                                      \
    X(40, VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)                                              \
    X(41, CONFIDENTIAL_COMPUTING_NOT_SUPPORTED)                                                    \
    X(42, CMP_DEVICE_NOT_SUPPORTED)                                                                \
    X(43, MIG_DEVICE_NOT_SUPPORTED)                                                                \
    X(44, SLI_DEVICE_NOT_SUPPORTED)                                                                \
    X(45, WSL_DEVICE_NOT_SUPPORTED)                                                                \
    X(46, INVALID_CHIP_NAME)                                                                       \
    X(47, HES_TRACE_NOT_SUPPORTED_ON_MPS)

const char *rf_pm_cupti_error_name(int cupti)
{
    switch (cupti) {
    case PM_SUCCESS:
        return "CUPTI_SUCCESS";
#define PM_CASE(number, name)                                                                      \
    case number:                                                                                   \
        return "CUPTI_ERROR_" #name;
        PM_CUPTI_NAMES(PM_CASE)
#undef PM_CASE
    default:
        return "CUPTI_ERROR_UNKNOWN";
    }
}
