/* SPDX-License-Identifier: Apache-2.0 */
/* The host half: chips, metrics, configurations, evaluation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pm_double.h"
#include "pmsampling/pm_abi.h"

#define HOST_MAGIC 0x54534f48u
#define MAX_ADDED  1024

struct host {
    uint32_t magic;
    atomic_int is_busy;
    bool is_poisoned, is_of_device;
    char chip[32];
    char *added[MAX_ADDED];
    size_t n_added;
    const char *names[64]; /* what it handed out last */
};

#define SIZES(...) ((const size_t[]){__VA_ARGS__})
#define ENTER(params, n, ...)                                                                      \
    do {                                                                                           \
        int entered = pm_double_enter(__func__, params, SIZES(__VA_ARGS__), n);                    \
        if (entered != 0)                                                                          \
            return entered;                                                                        \
    } while (0)

/* ---- Objects ---- */

static int begin(const char *function, void *object)
{
    struct host *host = object;
    if (host == NULL || host->magic != HOST_MAGIC) {
        pm_double_violation("%s: no host object: the real one crashes", function);
        return PM_INVALID_PARAMETER;
    }
    if (atomic_fetch_add(&host->is_busy, 1) != 0)
        pm_double_violation("%s: two threads use a host object at once", function);
    if (!host->is_poisoned)
        return PM_SUCCESS;
    pm_double_violation("%s: the host object is unusable since a failed AddMetrics", function);
    atomic_fetch_sub(&host->is_busy, 1);
    return PM_UNKNOWN;
}

static int end(void *object, int code)
{
    atomic_fetch_sub(&((struct host *)object)->is_busy, 1);
    return code;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostInitialize(struct pm_host_initialize *params);
int cuptiProfilerHostInitialize(struct pm_host_initialize *params)
{
    size_t later = pm_double_version() >= 130200 ? 56 : 48;
    ENTER(params, 2, 48, later);
    if (pm_double()->no_perfworks)
        return PM_NOT_INITIALIZED;
    if (params->profiler_type != 1 || params->chip == NULL)
        return PM_INVALID_PARAMETER;
    if (!pm_double_has_chip(params->chip))
        return pm_double_version() < 130000 ? PM_INVALID_PARAMETER : PM_INVALID_CHIP_NAME;
    if (strcmp(params->chip, "GV100") == 0)
        return PM_NOT_SUPPORTED;
    struct host *host = calloc(1, sizeof(*host));
    host->magic = HOST_MAGIC;
    (void)snprintf(host->chip, sizeof(host->chip), "%s", params->chip);
    host->is_of_device = params->availability != NULL;
    if (host->is_of_device &&
        strcmp((const char *)params->availability, PM_DOUBLE_AVAILABILITY) != 0)
        pm_double_violation("%s: no image of counters", __func__);
    params->host = host;
    atomic_fetch_add(&pm_double()->hosts, 1);
    atomic_fetch_add(&pm_double()->hosts_open, 1);
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostDeinitialize(struct pm_host_deinitialize *params);
int cuptiProfilerHostDeinitialize(struct pm_host_deinitialize *params)
{
    struct host *host = params->host;
    ENTER(params, 1, 24);
    if (host == NULL || host->magic != HOST_MAGIC) {
        pm_double_violation("%s: no host object", __func__);
        return PM_INVALID_PARAMETER;
    }
    for (size_t i = 0; i < host->n_added; i++)
        free(host->added[i]);
    host->magic = 0;
    free(host);
    atomic_fetch_sub(&pm_double()->hosts_open, 1);
    return PM_SUCCESS;
}

/* ---- Chips and metrics ---- */

PM_DOUBLE_EXPORT int cuptiProfilerHostGetSupportedChips(struct pm_get_supported_chips *params);
int cuptiProfilerHostGetSupportedChips(struct pm_get_supported_chips *params)
{
    ENTER(params, 1, 32);
    if (pm_double()->no_perfworks)
        return PM_NOT_INITIALIZED;
    params->chips = pm_double_chips;
    for (params->n = 0; pm_double_chips[params->n] != NULL;)
        params->n++;
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int
cuptiProfilerHostGetMaxNumHardwareMetricsPerPass(struct pm_get_max_per_pass *params);
int cuptiProfilerHostGetMaxNumHardwareMetricsPerPass(struct pm_get_max_per_pass *params)
{
    ENTER(params, 1, 48);
    params->n = PM_DOUBLE_PER_PASS;
    return params->chip != NULL ? PM_SUCCESS : PM_INVALID_PARAMETER;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetBaseMetrics(struct pm_get_base_metrics *params);
int cuptiProfilerHostGetBaseMetrics(struct pm_get_base_metrics *params)
{
    ENTER(params, 1, 48);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    struct host *host = params->host;
    const struct pm_double_metric *metric;
    params->n = 0;
    for (size_t i = 0; (metric = pm_double_metric_at(i)) != NULL; i++) {
        if (metric->type == params->type && pm_double_chip_has(metric, host->chip))
            host->names[params->n++] = metric->name;
    }
    params->names = host->names;
    return end(host, params->type > 2 ? PM_INVALID_PARAMETER : PM_SUCCESS);
}

/* Before 13.0 a metric is known with its submetric only; since 13.0 without, too. */
static const struct pm_double_metric *find(const struct host *host, const char *name,
                                           const char **submetric)
{
    const struct pm_double_metric *metric =
        name != NULL ? pm_double_find(host->chip, name, submetric) : NULL;
    if (metric == NULL || (**submetric == '\0' && pm_double_version() < 130000))
        return NULL;
    return metric;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetSubMetrics(struct pm_get_sub_metrics *params);
int cuptiProfilerHostGetSubMetrics(struct pm_get_sub_metrics *params)
{
    ENTER(params, 1, 56);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    const char *submetric = "";
    const struct pm_double_metric *metric = find(params->host, params->metric, &submetric);
    if (metric == NULL || (*submetric != '\0' && !pm_double_is_submetric(metric->type, submetric)))
        return end(params->host, PM_INVALID_METRIC_NAME);
    if (metric->type != params->type)
        return end(params->host, PM_INVALID_PARAMETER);
    params->names = (const char **)(uintptr_t)pm_double_submetrics(metric->type);
    for (params->n = 0; params->names[params->n] != NULL;)
        params->n++;
    return end(params->host, PM_SUCCESS);
}

/* The unit with a submetric: since 13.1 CUPTI tells that of the metric alone. */
static const char *unit_of(const struct pm_double_metric *metric, const char *submetric)
{
    if (pm_double_version() >= 130100)
        return metric->unit;
    if (strstr(submetric, "pct") != NULL)
        return "percent";
    if (strstr(submetric, ".per_second") != NULL)
        return strcmp(metric->unit, "byte") == 0 ? "byte/second" : "gpc_cycle/second";
    return metric->unit;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetMetricProperties(struct pm_get_metric_properties *params);
int cuptiProfilerHostGetMetricProperties(struct pm_get_metric_properties *params)
{
    ENTER(params, 1, 60); /* 13.5 takes 64, too, and then takes its time */
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    atomic_fetch_add(&pm_double()->properties, 1);
    if (strlen(params->metric) >= 1024)
        pm_double_violation("%s: a name of %zu characters", __func__, strlen(params->metric));
    const char *submetric = "";
    const struct pm_double_metric *metric = find(params->host, params->metric, &submetric);
    bool any_submetric = pm_double_version() >= 130100 || *submetric == '\0';
    if (metric == NULL || (!any_submetric && !pm_double_is_submetric(metric->type, submetric)))
        return end(params->host, PM_INVALID_METRIC_NAME);
    params->description = metric->description;
    params->hw_unit = metric->hw_unit;
    params->dim_unit = unit_of(metric, submetric);
    params->type = metric->type;
    return end(params->host, PM_SUCCESS);
}

/* ---- Configurations ---- */

PM_DOUBLE_EXPORT int cuptiProfilerHostConfigAddMetrics(struct pm_add_metrics *params);
int cuptiProfilerHostConfigAddMetrics(struct pm_add_metrics *params)
{
    ENTER(params, 1, 40);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    struct host *host = params->host;
    atomic_fetch_add(&pm_double()->adds, 1);
    host->is_poisoned = params->n == 0;
    bool is_lacking = false;
    for (size_t i = 0; i < params->n && !host->is_poisoned; i++) {
        const char *submetric = "";
        const struct pm_double_metric *metric =
            pm_double_find(host->chip, params->names[i], &submetric);
        host->is_poisoned = metric == NULL || host->n_added == MAX_ADDED ||
                            !pm_double_is_submetric(metric->type, submetric);
        is_lacking |= host->is_of_device && pm_double_lacks(params->names[i]);
        host->is_poisoned |= is_lacking;
        if (!host->is_poisoned)
            host->added[host->n_added++] = strdup(params->names[i]);
    }
    atomic_fetch_add(&pm_double()->failed_adds, host->is_poisoned);
    return end(host, is_lacking          ? PM_UNKNOWN
                     : host->is_poisoned ? PM_INVALID_PARAMETER
                                         : PM_SUCCESS);
}

static size_t config_size(const struct host *host)
{
    size_t size = sizeof(struct pm_double_config);
    for (size_t i = 0; i < host->n_added; i++)
        size += strlen(host->added[i]) + 1;
    return size;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetConfigImageSize(struct pm_get_config_image_size *params);
int cuptiProfilerHostGetConfigImageSize(struct pm_get_config_image_size *params)
{
    ENTER(params, 1, 32);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    struct host *host = params->host;
    params->size = config_size(host);
    return end(host, host->n_added > 0 ? PM_SUCCESS : PM_UNKNOWN);
}

static uint32_t passes_of(const struct host *host)
{
    unsigned cost = 0;
    for (size_t i = 0; i < host->n_added; i++) {
        const char *submetric;
        cost += pm_double_find(host->chip, host->added[i], &submetric)->cost;
    }
    return (cost + PM_DOUBLE_PER_PASS - 1) / PM_DOUBLE_PER_PASS;
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetConfigImage(struct pm_get_config_image *params);
int cuptiProfilerHostGetConfigImage(struct pm_get_config_image *params)
{
    ENTER(params, 1, 40);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    struct host *host = params->host;
    if (params->size < config_size(host) || params->image == NULL)
        return end(host, PM_INVALID_PARAMETER);
    struct pm_double_config config = {.magic = PM_DOUBLE_CONFIG_MAGIC,
                                      .size = config_size(host),
                                      .n_metrics = (uint32_t)host->n_added,
                                      .n_passes = passes_of(host)};
    uint8_t *at = params->image;
    memcpy(at, &config, sizeof(config));
    at += sizeof(config);
    for (size_t i = 0; i < host->n_added; i++) {
        memcpy(at, host->added[i], strlen(host->added[i]) + 1);
        at += strlen(host->added[i]) + 1;
    }
    return end(host, PM_SUCCESS);
}

PM_DOUBLE_EXPORT int cuptiProfilerHostGetNumOfPasses(struct pm_get_num_of_passes *params);
int cuptiProfilerHostGetNumOfPasses(struct pm_get_num_of_passes *params)
{
    struct pm_double_config config;
    ENTER(params, 1, 40);
    if (params->image == NULL || params->size < sizeof(config))
        return PM_INVALID_PARAMETER;
    memcpy(&config, params->image, sizeof(config));
    params->n = config.magic == PM_DOUBLE_CONFIG_MAGIC ? config.n_passes : 0;
    return PM_SUCCESS;
}

/* ---- Single-pass sets, since 13.2 ---- */

static const char set_name[] = "TriageCompute";
static const char set_metrics[] = "sm__cycles_elapsed\0sm__cycles_active\0dram__bytes";

PM_DOUBLE_EXPORT int cuptiProfilerHostGetSinglePassSets(struct pm_get_single_pass_sets *params);
int cuptiProfilerHostGetSinglePassSets(struct pm_get_single_pass_sets *params)
{
    ENTER(params, 1, 40);
    params->n = 1;
    if (params->names != NULL)
        params->names[0] = set_name;
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int
cuptiProfilerHostGetMetricsInSinglePassSet(struct pm_get_metrics_in_set *params);
int cuptiProfilerHostGetMetricsInSinglePassSet(struct pm_get_metrics_in_set *params)
{
    static const size_t indices[] = {0, 19, 37};
    ENTER(params, 1, 64);
    if ((params->indices == NULL) != (params->buffer == NULL) || params->set == NULL)
        return PM_INVALID_PARAMETER;
    if (params->indices != NULL) {
        if (params->n != 3 || params->size != sizeof(set_metrics))
            return PM_INVALID_PARAMETER;
        memcpy(params->indices, indices, sizeof(indices));
        memcpy(params->buffer, set_metrics, sizeof(set_metrics));
    }
    params->n = 3;
    params->size = sizeof(set_metrics);
    return PM_SUCCESS;
}

/* ---- Evaluation ---- */

PM_DOUBLE_EXPORT int cuptiProfilerHostEvaluateToGpuValues(struct pm_evaluate *params);
int cuptiProfilerHostEvaluateToGpuValues(struct pm_evaluate *params)
{
    struct pm_double_image head;
    ENTER(params, 1, 72);
    int code = begin(__func__, params->host);
    if (code != PM_SUCCESS)
        return code;
    atomic_fetch_add(&pm_double()->evaluations, 1);
    if (pm_double()->evaluate_us > 0) {
        atomic_fetch_add(&pm_double()->evaluating, 1);
        (void)usleep(pm_double()->evaluate_us);
        atomic_fetch_sub(&pm_double()->evaluating, 1);
    }
    memset(&head, 0, sizeof(head));
    if (params->image != NULL && params->size >= sizeof(head))
        memcpy(&head, params->image, sizeof(head));
    if (head.magic != PM_DOUBLE_IMAGE_MAGIC || head.state != 2 ||
        params->size != sizeof(head) + head.max_samples * head.sample_bytes) {
        pm_double_violation("%s: no decoded image: the real one crashes", __func__);
        return end(params->host, PM_INVALID_PARAMETER);
    }
    if (params->index >= head.n_completed || params->n != head.n_metrics ||
        head.names != pm_double_names(params->names, params->n))
        return end(params->host, PM_INVALID_METRIC_NAME);
    const struct pm_double_sample *sample = pm_double_sample(params->image, params->index);
    memcpy(params->values, sample->values, params->n * sizeof(double));
    return end(params->host, PM_SUCCESS);
}
