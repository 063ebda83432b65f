/* SPDX-License-Identifier: Apache-2.0 */
/* The tables for calls and GPU work, as data: those of schema 3.0.0, with greenContextId and
 * graphId where later versions have them, and two that only later versions have,
 * CUPTI_ACTIVITY_KIND_GRAPH_TRACE and TARGET_INFO_CUDA_CONTEXT_INFO. What a recording does not know
 * is NULL, also in columns that are never NULL in Nsight Systems' own exports. */
#ifndef RF_EXPORT_SQLITE_WORK_SCHEMA_H
#define RF_EXPORT_SQLITE_WORK_SCHEMA_H

enum rf_work_table_index {
    RF_WORK_CUDA_CALLS,
    RF_WORK_OS_CALLS,
    RF_WORK_KERNELS,
    RF_WORK_COPIES,
    RF_WORK_SETS,
    RF_WORK_GRAPHS,
    RF_WORK_WAITS,
    RF_WORK_GPUS,
    RF_WORK_CONTEXTS,
    RF_WORK_STREAMS,
    RF_N_WORK_TABLES
};

struct rf_work_table {
    const char *name;
    int n_columns;
    const char *create;
};

extern const struct rf_work_table rf_work_tables[RF_N_WORK_TABLES];

/* Columns of TARGET_INFO_GPU that a recording can fill. */
enum rf_gpu_column {
    RF_GPU_VM = 0,
    RF_GPU_ID = 1,
    RF_GPU_NAME = 2,
    RF_GPU_MEMORY = 6,
    RF_GPU_MULTIPROCESSORS = 9,
    RF_GPU_UUID = 11,
    RF_GPU_CHIP = 13,
    RF_GPU_COMPUTE_MAJOR = 37,
    RF_GPU_COMPUTE_MINOR = 38,
    RF_GPU_SM_MAJOR = 39,
    RF_GPU_SM_MINOR = 40,
    RF_N_GPU_COLUMNS = 41
};

#endif
