/* SPDX-License-Identifier: Apache-2.0 */
/* What a request for a report says: its name and arguments, as in "cuda_gpu_kern_sum:base:rows=5".
 * The public header declares rf_report_parse() and
 * rf_report_argument_at(). */
#ifndef RF_STATS_REPORT_ARGUMENTS_H
#define RF_STATS_REPORT_ARGUMENTS_H

#include "stats/report.h"

struct rf_report_arguments {
    const struct rf_report *report;
    enum rf_kernel_naming kernel_naming;
    bool with_ranges;   /* names of kernels begin with that of the innermost range */
    uint64_t max_rows;  /* 0: all */
    uint64_t threshold; /* RF_NO_ID: the report's own */
    bool has_rows;      /* max_rows was said */
};

/* RF_ERR_USAGE: err says what is wrong, and what the report knows. */
int rf_report_arguments_read(const char *request, struct rf_report_arguments *out,
                             struct rf_err *err);

#endif
