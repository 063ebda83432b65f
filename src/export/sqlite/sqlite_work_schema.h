/* SPDX-License-Identifier: Apache-2.0 */
/* The tables for calls and GPU work, as data: those of schema 3.0.0, with greenContextId and
 * graphId where later versions have them, and one that only later versions have,
 * CUPTI_ACTIVITY_KIND_GRAPH_TRACE. What a recording does not know is NULL, also in columns that are
 * never NULL in Nsight Systems' own exports. */
#ifndef RF_EXPORT_SQLITE_SQLITE_WORK_SCHEMA_H
#define RF_EXPORT_SQLITE_SQLITE_WORK_SCHEMA_H

enum rf_work_table_index {
    RF_WORK_CUDA_CALLS,
    RF_WORK_OS_CALLS,
    RF_WORK_KERNELS,
    RF_WORK_COPIES,
    RF_WORK_SETS,
    RF_WORK_GRAPHS,
    RF_WORK_WAITS,
    RF_WORK_NOTES, /* our own: what times are not */
    RF_N_WORK_TABLES
};

struct rf_work_table {
    const char *name;
    int n_columns;
    const char *create;
};

extern const struct rf_work_table rf_work_tables[RF_N_WORK_TABLES];

#endif
