/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the part of libcupti that samples counters, for machines without NVIDIA's library or
 * without a GPU; never installed. It does what we believe CUPTI does, and is stricter: a breach of
 * the rules is a line in the file RF_DOUBLE_VIOLATIONS (or on standard error) and is counted. It
 * proves nothing about CUPTI; test_pm_real.c asks the real library what that can answer without a
 * GPU.
 *
 * A test sets it up through pm_double(), found by dlsym(); a program of which that is not possible,
 * with LD_LIBRARY_PATH, RANGEFINDER_CUPTI, RF_PM_DOUBLE_DRIVER="devices=2" (pm_double_driver.c) and
 * by RF_PM_DOUBLE="chip=GH100,realtime=1,devices=2,capacity=1000,fail=cuptiPmSamplingEnable:35",
 * with the names of the fields below, and RF_DOUBLE_CUPTI_VERSION=130000 (18: CUDA 11.8).
 *
 * Sample k since a start lasts from base + k * interval to base + (k + 1) * interval, on
 * CLOCK_REALTIME; metric m (of those configured) has the value k % 100 + m / 16. The first sample
 * has start 0 and values of -1, as on hardware its values mean nothing. */
#ifndef TESTS_PMSAMPLING_PM_DOUBLE_H
#define TESTS_PMSAMPLING_PM_DOUBLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_DOUBLE_EXPORT __attribute__((visibility("default")))
#define PM_DOUBLE_FAILS  8

struct pm_double_fail {
    char function[64];
    int code;
    int n; /* how many calls still fail; below 0: all */
};

/* What a decode does with samples for which there is no room in the image. DROPS: they are gone, as
 * with CUPTI 13.0 on an H200. LOSES: those that follow are without times and values in the next
 * decode, as CUPTI 13.3 is reported to do. */
enum { PM_DOUBLE_DROPS = 0, PM_DOUBLE_LOSES = 1, PM_DOUBLE_KEEPS = 2 };

struct pm_double {
    /* ---- set by the test ---- */
    char chip[32];
    unsigned devices;
    uint64_t make;       /* so many samples come with the next call; then 0 */
    int realtime;        /* samples come as time goes by, and not by make */
    uint64_t capacity;   /* samples that the hardware buffer holds; 0: by its size */
    int overflow_flag;   /* an overflow is told by the flag, and not by error 8 */
    int rest;            /* PM_DOUBLE_DROPS */
    unsigned incomplete; /* so many samples of every decode have values and are not complete */
    int unpopulated;     /* GetCounterDataInfo says that no sample is populated */
    int bogus_first;     /* 1 unless set otherwise */
    unsigned empty_last; /* so many samples of no length, from the time of the start, end the first
                          * decode after a stop: reported of CUPTI 13.3 */
    int says_end;     /* a decode of a device that is started says END_OF_RECORDS when it has given
                       * all there is; else OTHER, as CUPTI 13.0 on an H200 */
    char lacking[32]; /* metrics that begin so ("*": all) have no counters on the devices: no sample
                       * of them is complete (seen on an H200 without NVLink) */
    int needs_context; /* Enable wants a context to be there: the code without one; or 0 */
    int no_perfworks;  /* libnvperf_* cannot be loaded */
    int finalizes;     /* Disable undoes ProfilerInitialize, as XLA's sources say of some CUPTI */
    unsigned stops_early; /* so many decodes stop for reason OTHER, with half of what there is, each
                           * second one with nothing */
    unsigned delay_ms;    /* of a decode, */
    unsigned decode_us;   /* and of each sample of it */
    unsigned evaluate_us; /* of the evaluation of a sample */
    unsigned initialize_ms; /* of ProfilerInitialize */
    int supported;          /* what DeviceSupported says: enum pm_support; then its parts */
    int architecture, sli, vgpu, confidential, cmp, wsl;
    struct pm_double_fail fail[PM_DOUBLE_FAILS];
    /* ---- what happened ---- */
    atomic_uint violations;
    char violation[512];     /* the first */
    atomic_uint initialized; /* ProfilerInitialize less DeInitialize */
    atomic_uint initializes, enables, disables, starts, stops, decodes, image_initializes;
    atomic_uint evaluating; /* threads that evaluate now */
    atomic_uint hosts, hosts_open, objects_open, adds, failed_adds, evaluations, properties;
    size_t set_config_size; /* structSize of the last SetConfig */
    int trigger, append;    /* of the last SetConfig */
    uint64_t interval, hardware_buffer;
};

/* Exported by the library. */
struct pm_double *pm_double(void);

/* For programs that are not written in C: sets fields as RF_PM_DOUBLE does, after putting all of it
 * back to the beginning or without; reads one of what happened. */
PM_DOUBLE_EXPORT void pm_double_reset(const char *settings);
PM_DOUBLE_EXPORT void pm_double_set(const char *settings);
PM_DOUBLE_EXPORT unsigned pm_double_count(const char *name);

/* ---- Between its files ---- */

void pm_double_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t pm_double_version(void);

/* Begins a function: tests the size of its parameters against n sizes that this version takes, that
 * priv is NULL, and whether it is to fail. Returns 0, or the code to return. */
int pm_double_enter(const char *function, const void *params, const size_t *sizes, size_t n);

/* ---- pm_double_metrics.c ---- */

enum { PM_DOUBLE_COUNTER, PM_DOUBLE_RATIO, PM_DOUBLE_THROUGHPUT };

struct pm_double_metric {
    const char *name; /* without submetric */
    int type;
    unsigned cost; /* hardware counters */
    const char *description, *hw_unit, *unit;
    const char *not_on; /* chips without it, "AD102 GB100" */
};

#define PM_DOUBLE_PER_PASS 24

extern const char *const pm_double_chips[]; /* up to NULL */
bool pm_double_has_chip(const char *chip);
const struct pm_double_metric *pm_double_metric_at(size_t i);
bool pm_double_chip_has(const struct pm_double_metric *metric, const char *chip);

/* The submetrics of a type, each with its dot, up to NULL. */
const char *const *pm_double_submetrics(int type);

/* The metric of this name; *submetric is what follows ("": nothing), which need not exist. */
const struct pm_double_metric *pm_double_find(const char *chip, const char *name,
                                              const char **submetric);
bool pm_double_is_submetric(int type, const char *submetric);

/* ---- Images, pm_double_device.c ---- */

#define PM_DOUBLE_AVAILABILITY "which counters a device has"
bool pm_double_lacks(const char *metric);

struct pm_double_image {
    uint64_t magic;
    uint32_t state; /* 1: initialized; 2: decoded */
    uint32_t max_samples;
    uint32_t n_metrics;
    uint32_t n_completed, n_populated;
    uint32_t names; /* hash of the metrics' names */
    uint64_t sample_bytes;
};
#define PM_DOUBLE_IMAGE_MAGIC 0x31454c424d415345u

struct pm_double_sample {
    uint64_t start, end;
    double values[];
};

uint32_t pm_double_names(const char *const *names, size_t n);
const struct pm_double_sample *pm_double_sample(const void *image, size_t index);

/* What a configuration image begins with; the names follow, each with its NUL. */
struct pm_double_config {
    uint64_t magic;
    uint64_t size;
    uint32_t n_metrics, n_passes;
};
#define PM_DOUBLE_CONFIG_MAGIC 0x474946434d504644u

#endif
