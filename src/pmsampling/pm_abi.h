/* SPDX-License-Identifier: Apache-2.0 */
/* What is called in libcupti for PM sampling: the parameter structs, laid out as in NVIDIA's
 * headers (which are not needed to build), and the functions. Every function takes a pointer to its
 * struct and returns CUPTI's code.
 *
 * struct_size is tested by CUPTI for equality with a size that it knows: the end of the last field,
 * without padding (PM_SIZE). Where a later version has more fields, the oldest size is used, which
 * every version takes; but SetConfig's, whose size differs by version: see pm_collector.c. */
#ifndef RF_PMSAMPLING_PM_ABI_H
#define RF_PMSAMPLING_PM_ABI_H

#include <stddef.h>
#include <stdint.h>

/* CUPTI's codes that mean something to us. */
enum pm_code {
    PM_SUCCESS = 0,
    PM_INVALID_PARAMETER = 1,
    PM_INVALID_DEVICE = 2,
    PM_INVALID_CONTEXT = 3,
    PM_INVALID_OPERATION = 7,
    PM_OUT_OF_MEMORY = 8,
    PM_NOT_INITIALIZED = 15,
    PM_INVALID_METRIC_NAME = 17,
    PM_HARDWARE_BUSY = 26,
    PM_NOT_SUPPORTED = 27,
    PM_VIRTUALIZED_DEVICE = 33,
    PM_INSUFFICIENT_PRIVILEGES = 35,
    PM_MULTIPLE_SUBSCRIBERS = 39,
    PM_VIRTUALIZED_INSUFFICIENT_PRIVILEGES = 40,
    PM_CONFIDENTIAL_COMPUTING = 41,
    PM_CMP_DEVICE = 42,
    PM_MIG_DEVICE = 43,
    PM_SLI_DEVICE = 44,
    PM_WSL_DEVICE = 45,
    PM_INVALID_CHIP_NAME = 46,
    PM_UNKNOWN = 999,
};

#define PM_PROFILER_TYPE_PM_SAMPLING 1 /* CUpti_ProfilerType */
#define PM_API_PM_SAMPLING           3 /* CUpti_Profiler_API */

/* CUpti_Profiler_Support_Level */
enum pm_support { PM_SUPPORT_UNKNOWN, PM_UNSUPPORTED, PM_DISABLED, PM_SUPPORTED, PM_LIMITED };

#define PM_HEAD                                                                                    \
    size_t struct_size;                                                                            \
    void *priv

#define PM_SIZE(type, last) (offsetof(struct type, last) + sizeof(((struct type *)NULL)->last))

struct pm_params {
    PM_HEAD;
};
#define PM_PARAMS_SIZE PM_SIZE(pm_params, priv) /* Initialize, DeInitialize */

struct pm_get_chip_name {
    PM_HEAD;
    size_t device;
    const char *chip; /* out */
};
#define PM_GET_CHIP_NAME_SIZE PM_SIZE(pm_get_chip_name, chip)

struct pm_device_supported {
    PM_HEAD;
    int cu_device;
    int is_supported, architecture, sli, vgpu, confidential, cmp, wsl; /* out: enum pm_support */
    int api;
};
#define PM_DEVICE_SUPPORTED_SIZE PM_SIZE(pm_device_supported, api) /* 13.5 has sku behind it */

struct pm_host_initialize {
    PM_HEAD;
    int profiler_type;
    const char *chip;
    const uint8_t *availability;
    void *host; /* out */
    const char *single_pass_set;
};
#define PM_HOST_INITIALIZE_SIZE     PM_SIZE(pm_host_initialize, host)
#define PM_HOST_INITIALIZE_SET_SIZE PM_SIZE(pm_host_initialize, single_pass_set) /* 13.2 */

struct pm_host_deinitialize {
    PM_HEAD;
    void *host;
};
#define PM_HOST_DEINITIALIZE_SIZE PM_SIZE(pm_host_deinitialize, host)

struct pm_get_supported_chips {
    PM_HEAD;
    size_t n;                 /* out */
    const char *const *chips; /* out */
};
#define PM_GET_SUPPORTED_CHIPS_SIZE PM_SIZE(pm_get_supported_chips, chips)

struct pm_get_base_metrics {
    PM_HEAD;
    void *host;
    int type;
    const char **names; /* out */
    size_t n;           /* out */
};
#define PM_GET_BASE_METRICS_SIZE PM_SIZE(pm_get_base_metrics, n)

struct pm_get_sub_metrics {
    PM_HEAD;
    void *host;
    int type;
    const char *metric;
    size_t n;           /* out */
    const char **names; /* out: each begins with a dot */
};
#define PM_GET_SUB_METRICS_SIZE PM_SIZE(pm_get_sub_metrics, names)

struct pm_get_metric_properties {
    PM_HEAD;
    void *host;
    const char *metric;
    const char *description, *hw_unit, *dim_unit; /* out */
    int type;                                     /* out */
};
/* 13.5 has metricCollectionScope behind it, which takes it 3 ms per metric to find out. */
#define PM_GET_METRIC_PROPERTIES_SIZE PM_SIZE(pm_get_metric_properties, type)

struct pm_add_metrics {
    PM_HEAD;
    void *host;
    const char *const *names;
    size_t n;
};
#define PM_ADD_METRICS_SIZE PM_SIZE(pm_add_metrics, n)

struct pm_get_config_image_size {
    PM_HEAD;
    void *host;
    size_t size; /* out */
};
#define PM_GET_CONFIG_IMAGE_SIZE_SIZE PM_SIZE(pm_get_config_image_size, size)

struct pm_get_config_image {
    PM_HEAD;
    void *host;
    size_t size;
    uint8_t *image; /* filled */
};
#define PM_GET_CONFIG_IMAGE_SIZE PM_SIZE(pm_get_config_image, image)

struct pm_get_num_of_passes {
    PM_HEAD;
    size_t size;
    uint8_t *image;
    size_t n; /* out */
};
#define PM_GET_NUM_OF_PASSES_SIZE PM_SIZE(pm_get_num_of_passes, n)

struct pm_get_max_per_pass {
    PM_HEAD;
    int profiler_type;
    const char *chip;
    uint8_t *availability;
    size_t n; /* out */
};
#define PM_GET_MAX_PER_PASS_SIZE PM_SIZE(pm_get_max_per_pass, n)

struct pm_evaluate {
    PM_HEAD;
    void *host;
    const uint8_t *image;
    size_t size;
    size_t index;
    const char *const *names;
    size_t n;
    double *values; /* filled */
};
#define PM_EVALUATE_SIZE PM_SIZE(pm_evaluate, values)

struct pm_get_single_pass_sets {
    PM_HEAD;
    const char *chip;
    size_t n;           /* out */
    const char **names; /* NULL: only n is asked for; else filled */
};
#define PM_GET_SINGLE_PASS_SETS_SIZE PM_SIZE(pm_get_single_pass_sets, names)

struct pm_get_metrics_in_set {
    PM_HEAD;
    const char *chip;
    const char *set;
    size_t n;        /* in and out */
    size_t size;     /* in and out: of buffer */
    size_t *indices; /* filled: where in buffer each name begins. NULL: only n and size are
                      * asked for */
    uint8_t *buffer; /* filled */
};
#define PM_GET_METRICS_IN_SET_SIZE PM_SIZE(pm_get_metrics_in_set, buffer)

struct pm_get_counter_availability {
    PM_HEAD;
    size_t device;
    size_t size;    /* in and out: of image */
    uint8_t *image; /* NULL: only size is asked for; else filled */
};
#define PM_GET_COUNTER_AVAILABILITY_SIZE PM_SIZE(pm_get_counter_availability, image)

struct pm_enable {
    PM_HEAD;
    size_t device;
    void *object; /* out */
};
#define PM_ENABLE_SIZE PM_SIZE(pm_enable, object)

/* Disable, Start, Stop */
struct pm_object {
    PM_HEAD;
    void *object;
};
#define PM_OBJECT_SIZE PM_SIZE(pm_object, object)

struct pm_set_config {
    PM_HEAD;
    void *object;
    size_t config_size;
    const uint8_t *config;
    size_t hardware_buffer_size;
    uint64_t interval;
    int trigger;
    int append;
};
#define PM_SET_CONFIG_OLD_SIZE PM_SIZE(pm_set_config, trigger) /* before 12.8 */
#define PM_SET_CONFIG_SIZE     PM_SIZE(pm_set_config, append)

struct pm_get_counter_data_size {
    PM_HEAD;
    void *object;
    const char *const *names;
    size_t n;
    uint32_t max_samples;
    size_t size; /* out */
};
#define PM_GET_COUNTER_DATA_SIZE_SIZE PM_SIZE(pm_get_counter_data_size, size)

struct pm_image_initialize {
    PM_HEAD;
    void *object;
    size_t size;
    uint8_t *image; /* filled */
};
#define PM_IMAGE_INITIALIZE_SIZE PM_SIZE(pm_image_initialize, image)

struct pm_decode {
    PM_HEAD;
    void *object;
    uint8_t *image; /* filled */
    size_t size;
    int stop_reason;  /* out */
    uint8_t overflow; /* out */
};
#define PM_DECODE_SIZE PM_SIZE(pm_decode, overflow)

/* Never with an image that DecodeData did not fill: it crashes. */
struct pm_get_counter_data_info {
    PM_HEAD;
    const uint8_t *image;
    size_t size;
    size_t n_total, n_populated, n_completed; /* out */
};
#define PM_GET_COUNTER_DATA_INFO_SIZE PM_SIZE(pm_get_counter_data_info, n_completed)

struct pm_get_sample_info {
    PM_HEAD;
    void *object;
    const uint8_t *image;
    size_t size;
    size_t index;
    uint64_t start, end; /* out */
};
#define PM_GET_SAMPLE_INFO_SIZE PM_SIZE(pm_get_sample_info, end)

/* X(name in CUPTI, struct of its parameters) */
#define PM_REQUIRED_FUNCTIONS(X)                                                                   \
    X(cuptiProfilerInitialize, pm_params)                                                          \
    X(cuptiProfilerDeInitialize, pm_params)                                                        \
    X(cuptiDeviceGetChipName, pm_get_chip_name)                                                    \
    X(cuptiProfilerHostInitialize, pm_host_initialize)                                             \
    X(cuptiProfilerHostDeinitialize, pm_host_deinitialize)                                         \
    X(cuptiProfilerHostGetSupportedChips, pm_get_supported_chips)                                  \
    X(cuptiProfilerHostGetBaseMetrics, pm_get_base_metrics)                                        \
    X(cuptiProfilerHostGetSubMetrics, pm_get_sub_metrics)                                          \
    X(cuptiProfilerHostGetMetricProperties, pm_get_metric_properties)                              \
    X(cuptiProfilerHostConfigAddMetrics, pm_add_metrics)                                           \
    X(cuptiProfilerHostGetConfigImageSize, pm_get_config_image_size)                               \
    X(cuptiProfilerHostGetConfigImage, pm_get_config_image)                                        \
    X(cuptiProfilerHostGetNumOfPasses, pm_get_num_of_passes)                                       \
    X(cuptiProfilerHostGetMaxNumHardwareMetricsPerPass, pm_get_max_per_pass)                       \
    X(cuptiProfilerHostEvaluateToGpuValues, pm_evaluate)                                           \
    X(cuptiPmSamplingEnable, pm_enable)                                                            \
    X(cuptiPmSamplingDisable, pm_object)                                                           \
    X(cuptiPmSamplingSetConfig, pm_set_config)                                                     \
    X(cuptiPmSamplingStart, pm_object)                                                             \
    X(cuptiPmSamplingStop, pm_object)                                                              \
    X(cuptiPmSamplingGetCounterDataSize, pm_get_counter_data_size)                                 \
    X(cuptiPmSamplingCounterDataImageInitialize, pm_image_initialize)                              \
    X(cuptiPmSamplingDecodeData, pm_decode)                                                        \
    X(cuptiPmSamplingGetCounterDataInfo, pm_get_counter_data_info)                                 \
    X(cuptiPmSamplingCounterDataGetSampleInfo, pm_get_sample_info)

/* NULL where the library has them not. */
#define PM_OPTIONAL_FUNCTIONS(X)                                                                   \
    X(cuptiProfilerDeviceSupported, pm_device_supported)                                           \
    X(cuptiPmSamplingGetCounterAvailability, pm_get_counter_availability)                          \
    X(cuptiProfilerHostGetSinglePassSets, pm_get_single_pass_sets)                                 \
    X(cuptiProfilerHostGetMetricsInSinglePassSet, pm_get_metrics_in_set)

#define PM_POINTER(name, params) int (*name)(struct params *);
struct pm_cupti {
    PM_REQUIRED_FUNCTIONS(PM_POINTER)
    PM_OPTIONAL_FUNCTIONS(PM_POINTER)
};
#undef PM_POINTER

#endif
