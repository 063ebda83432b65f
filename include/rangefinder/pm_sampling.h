/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling of a GPU's hardware counters (PM sampling): which metrics a chip has, a collector that
 * samples them, and what it collected. librangefinder exports these functions. The first call that
 * needs NVIDIA's libcupti loads it.
 *
 *     #include <inttypes.h>
 *     #include <rangefinder/pm_sampling.h>
 *     #include <stdio.h>
 *
 *     static void print_samples(const rf_pm_data *data, struct rf_pm_error *err)
 *     {
 *         const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
 *         double value;
 *         for (size_t i = 0; i < info->n_completed; i++)
 *             if (rf_pm_data_evaluate(data, i, 1, &value, err) == RF_PM_OK)
 *                 printf("%" PRIu64 " %g\n", info->start_ns[i], value);
 *     }
 *
 *     int main(void)
 *     {
 *         static const char *const metrics[] = {"sm__cycles_active.avg"};
 *         struct rf_pm_error err;
 *         rf_pm_collector *collector = NULL;
 *         rf_pm_data *data = NULL;
 *         struct rf_pm_config config = RF_PM_CONFIG_INIT;
 *         config.metrics = metrics;
 *         config.n_metrics = 1;
 *         int status = rf_pm_collector_new(0, &collector, &err);
 *         if (status == RF_PM_OK)
 *             status = rf_pm_collector_enable(collector, &err);
 *         if (status == RF_PM_OK)
 *             status = rf_pm_collector_configure(collector, &config, &err);
 *         if (status == RF_PM_OK)
 *             status = rf_pm_collector_start(collector, &err);
 *         if (status == RF_PM_OK) {
 *             // the work that is sampled runs here
 *             status = rf_pm_collector_stop(collector, &err);
 *         }
 *         if (status == RF_PM_OK)
 *             status = rf_pm_collector_decode(collector, 10000, &data, &err);
 *         if (status == RF_PM_OK)
 *             print_samples(data, &err);
 *         else
 *             fprintf(stderr, "%s\n", err.text);
 *         rf_pm_data_free(data);
 *         rf_pm_collector_free(collector);
 *         return status == RF_PM_OK ? 0 : 1;
 *     }
 *
 * Requirements: chips, metrics, passes and the values of samples need libcupti (12.6 or later) and
 * libnvperf_host, and no GPU. A collector needs a GPU of Turing or later, its driver, and the right
 * to read counters.
 *
 * Errors: functions that can fail return 0 (RF_PM_OK) or a negative enum rf_pm_status. The details
 * are in *err, which may be NULL. Outputs are NULL (numbers are 0) on failure, unless the function
 * says otherwise.
 *
 * NULL: every function accepts NULL for every pointer. Where it needs the argument, the result is
 * RF_PM_ERR_ARGUMENT; functions that return a pointer return NULL.
 *
 * Threads: every function may be called from any thread. Calls on one object wait for each other,
 * except as rf_pm_collector_decode() says. An object may be freed when no thread uses it. The
 * library prints nothing and never exits. It keeps the loaded libcupti, and which GPUs this process
 * samples. A child made by fork() must not use objects of its parent.
 *
 * Units: times of samples are nanoseconds of CLOCK_REALTIME, as CUPTI gives them: see
 * rf_pm_clock_read(). */
#ifndef RANGEFINDER_PM_SAMPLING_H
#define RANGEFINDER_PM_SAMPLING_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

/* Each ends with the exception that it becomes in Python. */
enum rf_pm_status {
    RF_PM_OK = 0,
    RF_PM_ERR_NO_MEMORY = -1,    /* out of memory, here or in CUPTI. MemoryError */
    RF_PM_ERR_ARGUMENT = -2,     /* an argument is not valid. ValueError */
    RF_PM_ERR_DEVICE = -3,       /* there is no such device. ValueError */
    RF_PM_ERR_ORDER = -4,        /* not enabled, not configured, started already... RuntimeError */
    RF_PM_ERR_ENABLED = -5,      /* the device is sampled already, by whom the text says where that
                                  * is known. RuntimeError */
    RF_PM_ERR_LIBRARY = -6,      /* libcupti or its libnvperf_* cannot be loaded, or it is too old
                                  * for this: the text says what was tried. RuntimeError */
    RF_PM_ERR_PRIVILEGES = -7,   /* may not read counters: how to get the right is in the text.
                                  * PermissionError */
    RF_PM_ERR_OVERFLOW = -8,     /* the hardware buffer was full: samples are lost. MemoryError */
    RF_PM_ERR_CHIP = -9,         /* CUPTI does not know the chip, or it is too old. ValueError */
    RF_PM_ERR_METRIC = -10,      /* metrics that the chip does not have: all of them, and what may
                                  * have been meant, are in the text. ValueError */
    RF_PM_ERR_PASSES = -11,      /* the metrics do not fit in one pass: which to leave out is in the
                                  * text. ValueError */
    RF_PM_ERR_UNSUPPORTED = -12, /* the chip has not this trigger or append mode. ValueError */
    RF_PM_ERR_REFUSED = -13,     /* this machine's GPU is not sampled: MIG, vGPU, confidential
                                  * computing, SLI, CMP, WSL; or another tool has the counters.
                                  * CuptiError where cupti is not 0, else RuntimeError */
    RF_PM_ERR_DATA = -14,        /* the bytes are no counter data, or damaged. ValueError */
    RF_PM_ERR_CUPTI = -15,       /* any other error of CUPTI. CuptiError */
};

/* The details of an error. This struct keeps its size in all versions. */
struct rf_pm_error {
    int status;             /* enum rf_pm_status */
    int cupti;              /* CUPTI's code (CUptiResult); 0: the error is not CUPTI's */
    const char *cupti_name; /* "CUPTI_ERROR_INVALID_PARAMETER"; "" where cupti is 0. Static */
    const char *function;   /* of CUPTI, "cuptiPmSamplingStart"; "" where cupti is 0. Static */
    char text[2048];        /* one line: what failed, on what, what to do next */
};

/* The name of a status, "RF_PM_ERR_ORDER"; "unknown error" for any other number. */
RF_API const char *rf_pm_status_name(int status);

/* The name of CUPTI's code, "CUPTI_ERROR_HARDWARE_BUSY"; "CUPTI_ERROR_UNKNOWN" for an unknown
 * number. */
RF_API const char *rf_pm_cupti_error_name(int cupti);

/* ---- The library ---- */

struct rf_pm_library_info {
    const char *path;
    int major, minor;         /* of CUDA: 13, 2 */
    uint32_t version;         /* as cuptiGetVersion() says: 28, 130200 */
    int has_single_pass_sets; /* 13.2 and later: rf_pm_chip_single_pass_sets() */
};

/* Loads libcupti if it is not loaded, and describes it. *out is static. After a failure a later
 * call tries again. RF_PM_ERR_LIBRARY. */
RF_API int rf_pm_library(const struct rf_pm_library_info **out, struct rf_pm_error *err);

/* ---- Chips and metrics: no GPU is needed ---- */

/* The chips that CUPTI knows, "GH100". Some may be too old to be sampled: rf_pm_chip_open() tells.
 * *names and the strings are static. */
RF_API int rf_pm_chips(const char *const **names, size_t *n, struct rf_pm_error *err);

/* A chip and its metrics. What it hands out lives until rf_pm_chip_close(). Its functions take it
 * without const: they ask CUPTI for what they need, and keep it. */
typedef struct rf_pm_chip rf_pm_chip;

/* Opens a chip by its name, in any case. The first call of a process takes half a second.
 * RF_PM_ERR_CHIP: CUPTI does not know it (the text has the nearest name), or it cannot be sampled.
 */
RF_API int rf_pm_chip_open(const char *name, rf_pm_chip **out, struct rf_pm_error *err);

/* Frees a chip and everything that it handed out. */
RF_API void rf_pm_chip_close(rf_pm_chip *chip);

/* The chip's name as CUPTI spells it. */
RF_API const char *rf_pm_chip_name(const rf_pm_chip *chip);

enum rf_pm_metric_type {
    RF_PM_COUNTER = 0,    /* sm__cycles_active, with .avg, .max, .min, .sum */
    RF_PM_RATIO = 1,      /* sm__sass_l1tex_tags_mem_global..., with .pct, .ratio, .max_rate */
    RF_PM_THROUGHPUT = 2, /* sm__throughput, with .avg, ... : the most used of several counters */
};

/* This struct keeps its size in all versions. */
struct rf_pm_metric {
    const char *name;        /* base: without submetric, "sm__cycles_active" */
    const char *description; /* NVIDIA's sentence; "" where there is none */
    const char *hw_unit;     /* where it is counted: "sm", "dram"; "": unknown */
    const char *unit;        /* of the values: "gpc_cycle", "byte/second", "percent"; "" for plain
                              * numbers, and where it is not known */
    int type;                /* enum rf_pm_metric_type */
};

/* The base metrics of the chip, by name. The first call takes a moment. */
RF_API int rf_pm_chip_metrics(rf_pm_chip *chip, const struct rf_pm_metric **metrics, size_t *n,
                              struct rf_pm_error *err);

/* The submetrics of a base metric by name, "avg", "avg.pct_of_peak_sustained_elapsed": a base
 * metric with a submetric behind it can be sampled. metric: with or without a submetric.
 * RF_PM_ERR_METRIC. */
RF_API int rf_pm_chip_submetrics(rf_pm_chip *chip, const char *metric, const char *const **names,
                                 size_t *n, struct rf_pm_error *err);

/* Describes a metric with or without a submetric; out->unit is the unit of the whole, out->name is
 * `metric` itself. RF_PM_ERR_METRIC: the chip does not have it; the text has the nearest names. */
RF_API int rf_pm_chip_describe(rf_pm_chip *chip, const char *metric, struct rf_pm_metric *out,
                               struct rf_pm_error *err);

#define RF_PM_NEAREST 3

/* The chip's names that are closest to a mistyped one, best first; the rest of `nearest` is NULL. A
 * name with a submetric gives names with submetrics. Returns how many, or a negative enum
 * rf_pm_status. */
RF_API int rf_pm_chip_nearest(rf_pm_chip *chip, const char *metric,
                              const char *nearest[RF_PM_NEAREST], struct rf_pm_error *err);

/* The most hardware counters that one pass can read; the practical limit is lower. */
RF_API int rf_pm_chip_counters_per_pass(rf_pm_chip *chip, size_t *n, struct rf_pm_error *err);

/* The named sets of metrics that CUPTI has arranged to fit in one pass ("TriageCompute"), and the
 * metrics of one. CUPTI 13.2 and later; before that RF_PM_ERR_LIBRARY. RF_PM_ERR_ARGUMENT: there is
 * no such set; the text has the nearest name. */
RF_API int rf_pm_chip_single_pass_sets(rf_pm_chip *chip, const char *const **names, size_t *n,
                                       struct rf_pm_error *err);
RF_API int rf_pm_chip_single_pass_metrics(rf_pm_chip *chip, const char *set,
                                          const char *const **names, size_t *n,
                                          struct rf_pm_error *err);

/* ---- Do metrics fit in one pass? ---- */

enum rf_pm_fit {
    RF_PM_FITS = 0,
    RF_PM_UNKNOWN = 1,  /* the chip has no such metric, the submetric is missing or wrong, or CUPTI
                         * refuses it: of a GPU's chip, for one, if the GPU lacks its counters */
    RF_PM_LEFT_OUT = 2, /* it does not fit in one pass with those before it */
};

struct rf_pm_check {
    size_t n;            /* metrics, as they were given */
    const uint8_t *fit;  /* enum rf_pm_fit of each */
    size_t n_unknown;    /* with RF_PM_UNKNOWN */
    size_t n_fitting;    /* with RF_PM_FITS: these together take one pass */
    size_t n_passes;     /* of all that the chip has: 1 is what can be sampled; 0: it has none */
    size_t config_bytes; /* of the configuration of those that fit */
};

/* Finds which of n metrics the chip has, how many passes all of these take, and which to leave out
 * so that one pass is enough: from the first on, each metric stays that fits with those before it.
 * set: the name of a single-pass set, or NULL. Unknown metrics, and metrics that do not fit, are
 * results and not errors. It takes some milliseconds, and as many per metric where they do not fit.
 * The caller frees *out with rf_pm_check_free(). */
RF_API int rf_pm_check_new(rf_pm_chip *chip, const char *const *metrics, size_t n, const char *set,
                           struct rf_pm_check **out, struct rf_pm_error *err);

/* Frees a check. */
RF_API void rf_pm_check_free(struct rf_pm_check *check);

/* ---- Metric sets ----
 *
 * Useful metrics by family of chips. The sets have the names of nsys's (--gpu-metrics-set), and the
 * metrics those of its reports. Not every chip of a family, and not every version of CUPTI, has all
 * metrics of the set: rf_pm_choose() leaves the others out. */

/* This struct keeps its size in all versions. */
struct rf_pm_set_metric {
    const char *metric; /* "sm__cycles_active.avg.pct_of_peak_sustained_elapsed" */
    const char *label;  /* "SMs Active [Throughput %]". Metrics labelled [MHz] have values in Hz, as
                         * in  nsys */
    const char *description; /* one sentence */
    const char *instead_of;  /* the metric that this one replaces on chips without it; or NULL */
};

struct rf_pm_set {
    const char *name;         /* "gh100" */
    const char *title;        /* "General Metrics for NVIDIA GH100" */
    const char *const *chips; /* chips that have this set as their default; NULL ends the list */
    const struct rf_pm_set_metric *metrics;
    size_t n_metrics;
};

/* Set i; NULL past the last. The sets are static. */
RF_API const struct rf_pm_set *rf_pm_set_at(size_t i);

/* The set with this name, in any case; or NULL. */
RF_API const struct rf_pm_set *rf_pm_set_named(const char *name);

/* The default set of a chip; for a chip that no set names, the set of the latest family. Never
 * NULL. */
RF_API const struct rf_pm_set *rf_pm_set_of_chip(const char *chip);

/* The metrics of a set that a chip has and that fit in one pass, in the set's order. */
struct rf_pm_choice {
    const struct rf_pm_set_metric *const *chosen;
    size_t n_chosen;
    /* the chip has neither them nor a substitute, or the GPU lacks their counters */
    const struct rf_pm_set_metric *const *missing;
    size_t n_missing;
    const struct rf_pm_set_metric *const *left_out; /* they do not fit with those before them */
    size_t n_left_out;
};

/* Chooses from a set for a chip. The caller frees *out with rf_pm_choice_free(). RF_PM_ERR_METRIC:
 * the chip has none of the metrics. */
RF_API int rf_pm_choose(rf_pm_chip *chip, const struct rf_pm_set *set, struct rf_pm_choice **out,
                        struct rf_pm_error *err);

/* Frees a choice. */
RF_API void rf_pm_choice_free(struct rf_pm_choice *choice);

/* ---- The machine's GPUs ---- */

struct rf_pm_device {
    size_t size;        /* of this struct: RF_PM_DEVICE_INIT sets it */
    char name[128];     /* "NVIDIA H200" */
    char chip[32];      /* "GH100"; "": CUPTI does not say */
    char pci[32];       /* "0000:18:00.0"; "": unknown */
    uint8_t uuid[16];   /* zero where unknown */
    int can_be_sampled; /* as far as can be told without trying */
    char reason[2048];  /* why not: the text of rf_pm_collector_enable()'s error */
};

#define RF_PM_DEVICE_INIT                                                                          \
    {                                                                                              \
        sizeof(struct rf_pm_device), "", "", "", {0}, 0, ""                                        \
    }

/* How many GPUs CUDA shows to this process (CUDA_VISIBLE_DEVICES counts); devices are 0 .. n-1.
 * 0 where there is no driver. */
RF_API int rf_pm_device_count(size_t *n, struct rf_pm_error *err);

/* Fills *out, as far as out->size reaches. RF_PM_ERR_DEVICE, RF_PM_ERR_LIBRARY; RF_PM_ERR_ARGUMENT
 * where out->size is not set. */
RF_API int rf_pm_device_describe(size_t index, struct rf_pm_device *out, struct rf_pm_error *err);

/* ---- Collecting ----
 *
 *     new -> enable -> configure -> start -> stop -> start ... -> disable -> enable ... -> free
 *
 * decode may follow at any point after configure. The device's clocks may be locked while it is
 * enabled. Calls out of order return RF_PM_ERR_ORDER and change nothing. */

typedef struct rf_pm_collector rf_pm_collector;

enum rf_pm_trigger {
    RF_PM_TRIGGER_SYSCLK = 0, /* every so many cycles of the SYS clock, whose frequency varies */
    RF_PM_TRIGGER_TIME = 1,   /* every so many nanoseconds; not on Turing and GA100 */
};

enum rf_pm_append {
    RF_PM_KEEP_OLDEST = 0, /* a full buffer takes nothing more: decode reports the overflow */
    RF_PM_KEEP_LATEST = 1, /* the newest samples replace the oldest; not on Turing. A buffer that
                            * wrapped must be decoded before stop */
};

struct rf_pm_config {
    size_t size;                /* of this struct: RF_PM_CONFIG_INIT sets it */
    const char *const *metrics; /* with submetrics; copied */
    size_t n_metrics;
    size_t hardware_buffer_bytes;
    uint64_t interval;           /* nanoseconds or cycles, by trigger */
    int trigger;                 /* enum rf_pm_trigger */
    int append;                  /* enum rf_pm_append */
    const char *single_pass_set; /* or NULL; CUPTI 13.2 and later */
};

/* 512 MiB, every 10 microseconds, oldest kept. */
#define RF_PM_CONFIG_INIT                                                                          \
    {                                                                                              \
        sizeof(struct rf_pm_config), NULL, 0, 536870912, 10000, RF_PM_TRIGGER_TIME,                \
            RF_PM_KEEP_OLDEST, NULL                                                                \
    }

/* Whether a chip of this name has a trigger (enum rf_pm_trigger) or append mode (enum
 * rf_pm_append): 1 or 0. */
RF_API int rf_pm_chip_has_trigger(const char *chip, int trigger);
RF_API int rf_pm_chip_has_append(const char *chip, int append);

/* Makes a collector of a device. It does not look at the device, nor test the index. */
RF_API int rf_pm_collector_new(size_t device, rf_pm_collector **out, struct rf_pm_error *err);

/* Disables and frees a collector. In a child made by fork() it does not call CUPTI. */
RF_API void rf_pm_collector_free(rf_pm_collector *collector);

/* Takes the device, if it can be sampled at all. RF_PM_ERR_DEVICE, _ENABLED (by this collector,
 * another one of this process, or another process), _LIBRARY, _PRIVILEGES, _REFUSED, _NO_MEMORY,
 * _CUPTI. An error changes nothing. */
RF_API int rf_pm_collector_enable(rf_pm_collector *collector, struct rf_pm_error *err);

/* Sets what is sampled. It may be called again, but not while started: RF_PM_ERR_ORDER. All metrics
 * are tested before CUPTI sees them. RF_PM_ERR_METRIC, _PASSES, _ARGUMENT, _UNSUPPORTED. An error
 * leaves the former configuration in place. */
RF_API int rf_pm_collector_configure(rf_pm_collector *collector, const struct rf_pm_config *config,
                                     struct rf_pm_error *err);

/* Starts and stops sampling. */
RF_API int rf_pm_collector_start(rf_pm_collector *collector, struct rf_pm_error *err);
RF_API int rf_pm_collector_stop(rf_pm_collector *collector, struct rf_pm_error *err);

/* Gives the device back. What was not decoded is lost. RF_PM_OK where it is not enabled. */
RF_API int rf_pm_collector_disable(rf_pm_collector *collector, struct rf_pm_error *err);

/* After an overflow: disables, enables, configures as before, and starts if it was started. A
 * failure leaves it disabled. */
RF_API int rf_pm_collector_restart(rf_pm_collector *collector, struct rf_pm_error *err);

struct rf_pm_collector_state {
    size_t size; /* of this struct: RF_PM_COLLECTOR_STATE_INIT sets it */
    size_t device;
    int is_enabled, is_configured, is_started;
    char chip[32];     /* "" before the first enable */
    uint64_t interval; /* as configured; 0: not yet */
    int trigger;       /* enum rf_pm_trigger */
    size_t hardware_buffer_bytes;
    size_t sample_bytes; /* that a sample takes in counter data; 0: nothing decoded yet */
};

#define RF_PM_COLLECTOR_STATE_INIT                                                                 \
    {                                                                                              \
        sizeof(struct rf_pm_collector_state), 0, 0, 0, 0, "", 0, 0, 0, 0                           \
    }

/* The chip of an enabled collector as its GPU has it, for rf_pm_choose() and rf_pm_check_new():
 * metrics whose counters this GPU lacks are unknown, such as those of NVLink where it is not
 * connected. CUPTI would take them, and no sample would ever be complete. The caller frees *out
 * with rf_pm_chip_close(), before or after the collector. RF_PM_ERR_ORDER: the collector is not
 * enabled. Source: cuptiPmSamplingGetCounterAvailability(); seen on an H200 in a virtual machine.
 */
RF_API int rf_pm_collector_open_chip(const rf_pm_collector *collector, rf_pm_chip **out,
                                     struct rf_pm_error *err);

/* Fills *out, as far as out->size reaches. RF_PM_ERR_ARGUMENT where out->size is not set. */
RF_API int rf_pm_collector_get_state(const rf_pm_collector *collector,
                                     struct rf_pm_collector_state *out);

typedef struct rf_pm_data rf_pm_data;

/* Moves what was sampled since the last call out of the hardware buffer: at most max_samples, the
 * oldest first. It takes 12 to 24 KiB of memory per sample of max_samples. The caller frees *out,
 * which may hold no sample. What lies beyond max_samples comes with the next call at the earliest,
 * or is lost, depending on CUPTI (samples whose times are 0 replace it): ask for more samples than
 * can have come. RF_PM_ERR_OVERFLOW: the hardware buffer was full; what is in it is lost;
 * rf_pm_collector_restart() goes on. A larger buffer, a longer interval, fewer metrics or decoding
 * more often help. RF_PM_ERR_ORDER: not configured; or another thread decodes with this collector
 * at this moment. */
RF_API int rf_pm_collector_decode(rf_pm_collector *collector, uint32_t max_samples,
                                  rf_pm_data **out, struct rf_pm_error *err);

/* ---- What was collected ----
 *
 * The counters of some samples in CUPTI's form, and what turns them into values on any machine. The
 * data never change. */

enum rf_pm_stop_reason {
    RF_PM_STOP_OTHER = 0,     /* while the GPU is sampled: this is what has come, and later decodes
                               * go on; after a stop there may be more: decode again */
    RF_PM_STOP_DATA_FULL = 1, /* there were more than max_samples */
    RF_PM_STOP_END_OF_RECORDS = 2, /* all that there was */
};

struct rf_pm_data_info {
    size_t size; /* of this struct: RF_PM_DATA_INFO_INIT sets it. A copy of the library's struct has
                  * the library's size: set it again */
    const char *chip;
    const char *single_pass_set; /* or NULL */
    const char *const *metrics;
    size_t n_metrics;
    size_t n_total;           /* samples that there is room for */
    size_t n_populated;       /* with any value */
    size_t n_completed;       /* whole: these have an index, from 0 */
    const uint64_t *start_ns; /* [n_completed], CLOCK_REALTIME */
    const uint64_t *end_ns;
    uint32_t cupti_version; /* that collected it */
    int stop_reason;        /* enum rf_pm_stop_reason */
    int is_overflow; /* samples are missing after the last one: CUPTI's flag, which may be set
                      * without an error */
    int is_first;    /* sample 0 is the first after a start: its times and values are often
                      * wrong; leave it out */
};

#define RF_PM_DATA_INFO_INIT                                                                       \
    {                                                                                              \
        sizeof(struct rf_pm_data_info), NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0       \
    }

/* What data is about. It lives as long as data. */
RF_API const struct rf_pm_data_info *rf_pm_data_get_info(const rf_pm_data *data);

/* Computes the values of n samples from sample first on: values[i * n_metrics + m] is of sample
 * first + i, metric m. It loads libcupti if needed, and takes microseconds per value.
 * RF_PM_ERR_ARGUMENT: there are not as many samples. RF_PM_ERR_LIBRARY: also where libcupti is
 * older than the one that collected. */
RF_API int rf_pm_data_evaluate(const rf_pm_data *data, size_t first, size_t n, double *values,
                               struct rf_pm_error *err);

/* Frees data. */
RF_API void rf_pm_data_free(rf_pm_data *data);

/* All of data as bytes for rf_pm_data_deserialise(), on another machine or later: with a version
 * and a checksum. The caller calls free(*bytes). */
RF_API int rf_pm_data_serialise(const rf_pm_data *data, void **bytes, size_t *size,
                                struct rf_pm_error *err);

/* Makes data of bytes that rf_pm_data_serialise() made; otherwise RF_PM_ERR_DATA. All bytes are
 * tested before CUPTI sees any, since CUPTI crashes on wrong ones. The test finds damage, but not
 * bytes that were forged together with their checksum. */
RF_API int rf_pm_data_deserialise(const void *bytes, size_t size, rf_pm_data **out,
                                  struct rf_pm_error *err);

/* CUPTI's bytes, and behind them a seal of ours that shows a foreign or damaged image before CUPTI
 * sees it. They live as long as data. The first call computes a checksum. */
RF_API const uint8_t *rf_pm_data_image(const rf_pm_data *data, size_t *size);

/* Makes data of its parts, which are copied. image: what rf_pm_data_image() gave. RF_PM_ERR_DATA:
 * it is no such image, or it is damaged. RF_PM_ERR_ARGUMENT: the parts contradict each other. */
RF_API int rf_pm_data_new(const struct rf_pm_data_info *info, const void *image, size_t image_size,
                          rf_pm_data **out, struct rf_pm_error *err);

/* Like rf_pm_data_new(), for an image without the seal, as other users of CUPTI keep them. The
 * caller knows that it is whole: it is not tested, and CUPTI crashes on a wrong one. cupti_version
 * stays 0. An image that has the seal is tested all the same. */
RF_API int rf_pm_data_new_trusted(const struct rf_pm_data_info *info, const void *image,
                                  size_t image_size, rf_pm_data **out, struct rf_pm_error *err);

/* ---- Clocks ---- */

/* One moment on two clocks. This struct keeps its size in all versions. */
struct rf_pm_clock {
    int64_t realtime_ns;  /* CLOCK_REALTIME, the clock of samples */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC */
    int64_t error_ns;     /* the two were read at most this far apart */
};

/* Reads both clocks: the best of some tries, in some microseconds. Pairs from before, during and
 * after sampling convert times of samples to CLOCK_MONOTONIC even if the system's time is set
 * meanwhile. */
RF_API void rf_pm_clock_read(struct rf_pm_clock *out);

#ifdef __cplusplus
}
#endif
#endif
