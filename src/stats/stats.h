/* SPDX-License-Identifier: Apache-2.0 */
/* One report = one file with one const descriptor; it fills a table. The list of reports, and how
 * to add to it, are in stats.c. */
#ifndef RF_STATS_STATS_H
#define RF_STATS_STATS_H

#include "stats/table.h"

/* Whether a report is shown where none was asked for. */
enum rf_report_shown {
    RF_REPORT_ON_REQUEST, /* too long for it, or the same in another way */
    /* where the recording has these: */
    RF_REPORT_OF_RANGES,
    RF_REPORT_OF_RANGES_ON_GPU,
    RF_REPORT_OF_CUDA_CALLS,
    RF_REPORT_OF_OS_CALLS,
    RF_REPORT_OF_KERNELS,
    RF_REPORT_OF_MEMORY, /* copies and sets */
    RF_REPORT_OF_GPU_METRICS,
};

struct rf_report {
    const char *name;
    const char *alias; /* an older name that is accepted, or NULL */
    const char *description;
    enum rf_report_shown shown;
    int needs_samples; /* of counters */
    /* Adds columns, rows and notes to an empty table. */
    int (*fill)(const rf_recording *rec, struct rf_table *table, struct rf_err *err);
};

/* Computes a report into a zeroed table, which is to be released even where this fails. */
int rf_report_fill(const rf_recording *rec, const char *name, struct rf_table *table,
                   struct rf_err *err);

extern const struct rf_report rf_report_nvtx_sum;
extern const struct rf_report rf_report_nvtx_gpu_proj_sum;
extern const struct rf_report rf_report_nvtx_gpu_proj_trace;
extern const struct rf_report rf_report_nvtx_kern_sum;
extern const struct rf_report rf_report_cuda_gpu_kern_sum;
extern const struct rf_report rf_report_cuda_gpu_kern_gb_sum;
extern const struct rf_report rf_report_nvtx_pushpop_sum;
extern const struct rf_report rf_report_nvtx_startend_sum;
extern const struct rf_report rf_report_nvtx_pushpop_trace;
extern const struct rf_report rf_report_cuda_api_sum;
extern const struct rf_report rf_report_cuda_api_trace;
extern const struct rf_report rf_report_cuda_api_gpu_sum;
extern const struct rf_report rf_report_cuda_gpu_sum;
extern const struct rf_report rf_report_cuda_gpu_trace;
extern const struct rf_report rf_report_cuda_gpu_mem_time_sum;
extern const struct rf_report rf_report_cuda_gpu_mem_size_sum;
extern const struct rf_report rf_report_cuda_kern_exec_sum;
extern const struct rf_report rf_report_cuda_kern_exec_trace;
extern const struct rf_report rf_report_osrt_sum;
extern const struct rf_report rf_report_gpu_metrics_sum;
extern const struct rf_report rf_report_nvtx_gpu_metrics_sum;

#endif
