/* SPDX-License-Identifier: Apache-2.0 */
/* The enumerations of later versions of the schema, for the tables that are as they have them. */
#include "export/sqlite/sqlite_enums_late.h"

static const struct rf_enum_row enum_cuda_kernel_launch_type_rows[] = {
    {0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"},
    {1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"},
    {2, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE", "Coop Single Device"},
    {3, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE", "Coop Multi Device"},
};

static const struct rf_enum_row enum_cupti_stream_type_rows[] = {
    {0, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN", "Unknown stream type"},
    {1, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT", "Default stream"},
    {2, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING", "Non-blocking stream"},
    {3, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL", "Null stream"},
};

static const struct rf_enum_row enum_cupti_overhead_type_rows[] = {
    {0, "OVERHEAD_UNDEFINED", "Undefined"},
    {1, "OVERHEAD_UNKNOWN", "Unknown"},
    {2, "OVERHEAD_DRIVER_COMPILER", "Driver JIT compiler (CUDA)"},
    {3, "OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush (Profiler)"},
    {4, "OVERHEAD_CUPTI_INSTRUMENTATION", "Instrumentation (Profiler)"},
    {5, "OVERHEAD_CUPTI_RESOURCE", "Resource creation/destruction (Profiler)"},
    {6, "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING", "Runtime module loading (CUDA)"},
    {7, "OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading (CUDA)"},
    {8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)"},
};

static const struct rf_enum_row enum_diagnostic_severity_level_rows[] = {
    {0, "UnknownLevel", "Unknown"}, {1, "Info", "Info"},       {2, "Warning", "Warning"},
    {3, "Error", "Error"},          {4, "Verbose", "Verbose"},
};

static const struct rf_enum_row enum_diagnostic_source_type_rows[] = {
    {0, "UnknownSource", "Unknown source"},
    {1, "Injection", "Injection"},
    {2, "Daemon", "Daemon"},
    {3, "Analysis", "Analysis"},
};

static const struct rf_enum_row enum_diagnostic_timestamp_source_rows[] = {
    {0, "UnknownTimestamp", "Unknown timestamp"},
    {1, "TargetTimestamp", "Target timestamp"},
    {2, "HostTimestamp", "Host timestamp"},
};

#define ROWS(name, rows)                                                                           \
    {                                                                                              \
        name, rows, sizeof(rows) / sizeof(rows[0])                                                 \
    }

const struct rf_enum_table rf_enum_tables_late[] = {
    ROWS("ENUM_CUDA_KERNEL_LAUNCH_TYPE", enum_cuda_kernel_launch_type_rows),
    ROWS("ENUM_CUPTI_STREAM_TYPE", enum_cupti_stream_type_rows),
    ROWS("ENUM_CUPTI_OVERHEAD_TYPE", enum_cupti_overhead_type_rows),
    ROWS("ENUM_DIAGNOSTIC_SEVERITY_LEVEL", enum_diagnostic_severity_level_rows),
    ROWS("ENUM_DIAGNOSTIC_SOURCE_TYPE", enum_diagnostic_source_type_rows),
    ROWS("ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE", enum_diagnostic_timestamp_source_rows),
    {NULL, NULL, 0},
};
