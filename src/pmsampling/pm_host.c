/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_host.h"

#include <stdlib.h>
#include <string.h>

#include "pmsampling/pm_error.h"

static int fail_open(const struct pm_library *library, const char *chip, int code,
                     struct rf_pm_error *err)
{
    static const char function[] = "cuptiProfilerHostInitialize";
    switch (code) {
    case PM_NOT_INITIALIZED:
        return pm_fail_cupti(err, RF_PM_ERR_LIBRARY, code, function,
                             "'%s' cannot load libnvperf_host.so, which belongs beside it: install "
                             "it whole, or add its folder to LD_LIBRARY_PATH",
                             library->info.path);
    case PM_NOT_SUPPORTED:
        return pm_fail_cupti(err, RF_PM_ERR_CHIP, code, function,
                             "%s cannot be sampled: Turing (TU102) and later can", chip);
    case PM_INVALID_PARAMETER: /* before CUPTI 13.0 */
    case PM_INVALID_CHIP_NAME:
        return pm_fail_cupti(err, RF_PM_ERR_CHIP, code, function,
                             "CUPTI of CUDA %d.%d does not know the chip '%s'", library->info.major,
                             library->info.minor, chip);
    default:
        return pm_fail_code(err, code, function, chip);
    }
}

int pm_host_open(struct pm_host *host, const struct pm_host_kind *kind, struct rf_pm_error *err)
{
    struct pm_host_initialize params = {
        .struct_size = kind->set != NULL ? PM_HOST_INITIALIZE_SET_SIZE : PM_HOST_INITIALIZE_SIZE,
        .profiler_type = PM_PROFILER_TYPE_PM_SAMPLING,
        .chip = kind->chip,
        .availability = kind->availability,
        .single_pass_set = kind->set};
    *host = (struct pm_host){.cupti = kind->library};
    int code = kind->library->call.cuptiProfilerHostInitialize(&params);
    if (code != PM_SUCCESS)
        return fail_open(kind->library, kind->chip, code, err);
    host->object = params.host;
    return RF_PM_OK;
}

void pm_host_close(struct pm_host *host)
{
    struct pm_host_deinitialize params = {.struct_size = PM_HOST_DEINITIALIZE_SIZE,
                                          .host = host->object};
    if (host->object != NULL)
        (void)host->cupti->call.cuptiProfilerHostDeinitialize(&params);
    host->object = NULL;
}

/* ---- Metrics ---- */

int pm_host_properties(const struct pm_host *host, const char *metric,
                       struct pm_get_metric_properties *out)
{
    *out = (struct pm_get_metric_properties){
        .struct_size = PM_GET_METRIC_PROPERTIES_SIZE, .host = host->object, .metric = metric};
    return host->cupti->call.cuptiProfilerHostGetMetricProperties(out);
}

int pm_host_submetrics(const struct pm_host *host, const char *metric, int type,
                       const char ***names, size_t *n)
{
    struct pm_get_sub_metrics params = {.struct_size = PM_GET_SUB_METRICS_SIZE,
                                        .host = host->object,
                                        .type = type,
                                        .metric = metric};
    int code = host->cupti->call.cuptiProfilerHostGetSubMetrics(&params);
    *names = code == PM_SUCCESS ? params.names : NULL;
    *n = code == PM_SUCCESS ? params.n : 0;
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* GetMetricProperties of CUPTI 13.5 takes any submetric (13.0's does not); GetSubMetrics takes none
 * that there is not, but takes a base metric alone. What is known to both, with a submetric of the
 * list, can be added. */
bool pm_host_knows(const struct pm_host *host, const char *metric)
{
    struct pm_get_metric_properties properties;
    const char **names;
    size_t n;
    if (strlen(metric) >= PM_MAX_NAME ||
        pm_host_properties(host, metric, &properties) != PM_SUCCESS ||
        pm_host_submetrics(host, metric, properties.type, &names, &n) != PM_SUCCESS)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (ends_with(metric, names[i]))
            return true;
    }
    return false;
}

/* ---- Configurations ---- */

#define NO_IMAGE "no configuration can be made of these metrics"

static int make_image(const struct pm_host *host, struct pm_config_image *out,
                      struct rf_pm_error *err)
{
    const struct pm_cupti *call = &host->cupti->call;
    struct pm_get_config_image_size size = {.struct_size = PM_GET_CONFIG_IMAGE_SIZE_SIZE,
                                            .host = host->object};
    int code = call->cuptiProfilerHostGetConfigImageSize(&size);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiProfilerHostGetConfigImageSize", NO_IMAGE);
    out->size = size.size;
    out->bytes = calloc(1, out->size + 1);
    if (out->bytes == NULL)
        return pm_no_memory(err);
    struct pm_get_config_image image = {.struct_size = PM_GET_CONFIG_IMAGE_SIZE,
                                        .host = host->object,
                                        .size = out->size,
                                        .image = out->bytes};
    code = call->cuptiProfilerHostGetConfigImage(&image);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiProfilerHostGetConfigImage", NO_IMAGE);
    struct pm_get_num_of_passes passes = {
        .struct_size = PM_GET_NUM_OF_PASSES_SIZE, .size = out->size, .image = out->bytes};
    code = call->cuptiProfilerHostGetNumOfPasses(&passes);
    out->n_passes = passes.n;
    return code == PM_SUCCESS
               ? RF_PM_OK
               : pm_fail_code(err, code, "cuptiProfilerHostGetNumOfPasses", NO_IMAGE);
}

int pm_host_configure(const struct pm_host_kind *kind, const char *const *metrics, size_t n,
                      struct pm_config_image *out, struct rf_pm_error *err)
{
    struct pm_host host;
    *out = (struct pm_config_image){0};
    int status = pm_host_open(&host, kind, err);
    if (status != RF_PM_OK)
        return status;
    struct pm_add_metrics add = {
        .struct_size = PM_ADD_METRICS_SIZE, .host = host.object, .names = metrics, .n = n};
    int code = kind->library->call.cuptiProfilerHostConfigAddMetrics(&add);
    status = code == PM_SUCCESS
                 ? make_image(&host, out, err)
                 : pm_fail_code(err, code, "cuptiProfilerHostConfigAddMetrics", NO_IMAGE);
    pm_host_close(&host);
    if (status != RF_PM_OK) {
        free(out->bytes);
        *out = (struct pm_config_image){0};
    }
    return status;
}
