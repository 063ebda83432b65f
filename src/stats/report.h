/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a report. report_list.c lists them, and says how to add one. */
#ifndef RF_STATS_REPORT_H
#define RF_STATS_REPORT_H

#include "stats/table.h"

/* What a recording must have for a report to have rows. */
enum rf_report_needs {
    RF_NEEDS_RANGES = 1,
    RF_NEEDS_GPU_WORK = 2, /* of any kind */
    RF_NEEDS_CUDA_CALLS = 4,
    RF_NEEDS_OS_CALLS = 8,
    RF_NEEDS_KERNELS = 16,
    RF_NEEDS_MEMORY = 32,  /* copies and sets */
    RF_NEEDS_SAMPLES = 64, /* of GPU metrics */
    RF_NEEDS_NVTX_COUNTERS = 128,
    RF_NEEDS_MPI = 256,
    RF_NEEDS_OPENACC = 512,
    RF_NEEDS_OPENMP = 1024,
    RF_NEEDS_UNIFIED_MEMORY = 2048, /* migrations or page faults */
    RF_NEEDS_CPU_PAGE_FAULTS = 4096,
    RF_NEEDS_NIC_METRICS = 8192,
    RF_NEEDS_SYSCALLS = 16384,
    RF_NEEDS_CUDA = 32768,        /* calls or GPU work */
    RF_NEEDS_COLLECTIVES = 65536, /* of a job: those of any rank */
    RF_NEEDS_RANK = 131072,       /* of a recording by itself */
};

/* Which arguments a report has, as in "cuda_gpu_kern_sum:base". Every report has rows=N. */
enum rf_report_can {
    RF_CAN_NAME_KERNELS = 1, /* base, mangled: rf_table.kernel_naming */
    RF_CAN_NAME_RANGES = 2,  /* nvtx-name: rf_table.with_ranges */
    RF_CAN_NAME_WORK = 3,    /* both */
    RF_CAN_THRESHOLD = 4,    /* ticks_threshold=N: rf_table.threshold */
    RF_CAN_GAP = 8,          /* gap=TIME: the same, in nanoseconds */
};

/* Where the quantiles stand that a summary has on request, beside a median. */
struct rf_quantile_place {
    size_t at;                /* before this column */
    const char *prefix;       /* of the title: "Proj " */
    const char *unit;         /* " (ns)" */
    enum rf_column_type type; /* SIGNED, or of real numbers */
};

struct rf_summary; /* rangefinder/summary.h */
struct rf_collecting;

struct rf_report {
    const char *name;
    const char *alias;       /* an older name, or NULL; underscores in names are ignored */
    const char *description; /* one line, as `rangefinder stats -h` prints it */
    bool is_default;         /* shown if no report is named and the recording has what it needs */
    unsigned needs;          /* enum rf_report_needs, all of them */
    bool can_group;          /* by values in payloads: rf_table.group_by, a column at the end */
    bool is_of_sums;         /* it does with what RF_OPEN_SUMS leaves */
    bool is_of_paths;        /* likewise RF_OPEN_PATHS */
    bool is_of_launches;     /* likewise RF_OPEN_LAUNCHES */
    bool is_of_range_work;   /* likewise RF_OPEN_RANGE_WORK */
    bool has_no_kernels;     /* and RF_OPEN_NO_RANGE_KERNELS */
    const char *for_people;  /* of a default report: the report that people see instead, or NULL */
    unsigned can;            /* enum rf_report_can */
    unsigned max_rows;       /* shown where the request does not say how many; 0: all */
    const char *title;       /* of the table */
    const struct rf_column *columns;
    size_t n_columns;
    const struct rf_quantile_place *quantile_place; /* NULL: it has no median */
    size_t n_quantile_places;
    unsigned counted; /* tells the reports of one compute() apart */
    /* Adds rows and notes to a table of these columns. RF_ERR_NO_MEMORY needs no text in err. */
    int (*compute)(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                   struct rf_err *err);
    /* The same of an input of a summary; NULL: summary_rows.c knows what it shows, if anything. */
    int (*compute_summary)(const struct rf_report *report, const struct rf_summary *summary,
                           uint32_t input, struct rf_table *table, struct rf_err *err);
    const char *not_summed; /* why summaries have not what it shows, and what has it; NULL */
    unsigned tallies; /* 1 + the first enum rf_tally_kind that compute_summary shows; 0: none */
    /* NULL, or adds those of a recording to a summary. */
    void (*collect)(const struct rf_report *report, struct rf_collecting *c);
    /* In its place: the rows of all inputs of a summary, which are the ranks of a job. err is
     * filled. */
    int (*compute_job)(const struct rf_report *report, const struct rf_summary *summary,
                       struct rf_table *table, struct rf_err *err);
    bool compares_inputs; /* several are one table, as they are for compute_job */
};

/* Initializes columns and n_columns. */
#define RF_REPORT_COLUMNS(array) .columns = (array), .n_columns = sizeof(array) / sizeof((array)[0])

/* The same of quantile_place and n_quantile_places. */
#define RF_REPORT_QUANTILES(array)                                                                 \
    .quantile_place = (array), .n_quantile_places = sizeof(array) / sizeof((array)[0])

/* Those of a table that begins with RF_SUMMARY_COLUMNS(). */
#define RF_SUMMARY_QUANTILES                                                                       \
    {                                                                                              \
        RF_SUMMARY_N, "", " (ns)", RF_COLUMN_SIGNED                                                \
    }

#endif
