/* SPDX-License-Identifier: Apache-2.0 */
/* What rf_filter() was asked for, once it is understood. */
#ifndef RF_MODEL_FILTER_FILTER_H
#define RF_MODEL_FILTER_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "model/filter/expression.h"
#include "rangefinder/rangefinder.h"

enum rf_activity {
    RF_ACTIVITY_NVTX = 1,
    RF_ACTIVITY_RUNTIME = 2,
    RF_ACTIVITY_DRIVER = 4,
    RF_ACTIVITY_OS = 8,
    RF_ACTIVITY_KERNEL = 16,
    RF_ACTIVITY_MEMCPY = 32,
    RF_ACTIVITY_MEMSET = 64,
    RF_ACTIVITY_GRAPH = 128,
    RF_ACTIVITY_SYNC = 256,
    RF_ACTIVITY_METRICS = 512,
    RF_ACTIVITY_CUDA_EVENT = 1024,
    RF_ACTIVITY_MEMORY = 2048,
    RF_ACTIVITY_OVERHEAD = 4096,
    RF_ACTIVITY_LIBRARY = 8192,
    RF_ACTIVITY_ALL = 16383,
};

struct rf_filter_window {
    int64_t begin_ns, end_ns;
};

/* A name as it is, with * for any bytes, or /REGEX/. */
struct rf_name_pattern {
    const char *text;                 /* NULL: every name */
    struct rf_expression *expression; /* or NULL */
    struct rf_err failed;             /* of looking for it: nothing fits any more */
    uint8_t *known;                   /* by string: 0 not asked yet, 1 it fits, 2 it does not */
};

struct rf_filter {
    int has_windows;
    struct rf_filter_window *window; /* by time; they do not overlap */
    size_t n_windows, window_room;
    uint8_t *keeps_process; /* by index; NULL: all */
    uint32_t *gpu;          /* NULL: all */
    size_t n_gpus;
    unsigned activities; /* enum rf_activity */
    struct rf_name_pattern name;
    struct rf_name_pattern kernel;
};

/* Fills *filter, which is to be released even where this fails. */
int rf_filter_init(struct rf_filter *filter, const rf_recording *rec,
                   const struct rf_filter_options *options, struct rf_err *err);
void rf_filter_release(struct rf_filter *filter);

/* To be asked when all names are looked at: the first error that came up. */
int rf_filter_check(const struct rf_filter *filter, struct rf_err *err);

/* Whether any of a stretch of time lies in a window. */
int rf_filter_has_time(const struct rf_filter *filter, int64_t start_ns, int64_t end_ns);

int rf_filter_has_gpu(const struct rf_filter *filter, uint32_t device);

/* In filter_extra.c. process, thread: by index in the source, the index in the result. */
int rf_filter_has_extra(const struct rf_filter *filter, const struct rf_extra *extra,
                        const uint32_t *process);
int rf_filter_copy_extras(const struct rf_filter *filter, const rf_recording *from,
                          rf_recording *to, const uint32_t *process, const uint32_t *thread);
int rf_filter_copy_counters(const struct rf_filter *filter, const rf_recording *from,
                            rf_recording *to, const uint32_t *process);

/* In filter_gpus.c. */
int rf_filter_copy_gpus(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                        const uint32_t *process);

/* Whether a string fits a pattern. Where that cannot be told, rf_filter_check() says why. */
int rf_name_fits(struct rf_name_pattern *pattern, const rf_recording *rec, uint32_t name);

/* The windows of --filter-nvtx, in filter_nvtx.c. */
int rf_filter_add_ranges(struct rf_filter *filter, const rf_recording *rec, const char *text,
                         struct rf_err *err);

/* Adds a window. */
int rf_filter_add_window(struct rf_filter *filter, int64_t begin_ns, int64_t end_ns,
                         struct rf_err *err);

#endif
