/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of metrics that CUPTI itself has arranged for one pass; since CUDA 13.2. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"

static int list_sets(struct rf_pm_chip *chip, const struct pm_names **out, struct rf_pm_error *err)
{
    static const char function[] = "cuptiProfilerHostGetSinglePassSets";
    const struct pm_library *library = chip->library;
    struct pm_get_single_pass_sets params = {.struct_size = PM_GET_SINGLE_PASS_SETS_SIZE,
                                             .chip = chip->name};
    if (!library->info.has_single_pass_sets)
        return pm_fail(err, RF_PM_ERR_LIBRARY,
                       "'%s' of CUDA %d.%d has no single-pass metric sets: CUPTI of CUDA 13.2 or "
                       "later is needed",
                       library->info.path, library->info.major, library->info.minor);
    int code = library->call.cuptiProfilerHostGetSinglePassSets(&params);
    size_t n = params.n;
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, function, chip->name);
    params.names = calloc(n + 1, sizeof(*params.names));
    if (params.names == NULL)
        return pm_no_memory(err);
    code = library->call.cuptiProfilerHostGetSinglePassSets(&params);
    if (code == PM_SUCCESS)
        *out = pm_strings_add_list(&chip->strings, params.names, params.n < n ? params.n : n, 0);
    free(params.names);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, function, chip->name);
    return *out != NULL ? RF_PM_OK : pm_no_memory(err);
}

int pm_chip_check_set(struct rf_pm_chip *chip, const char *set, struct rf_pm_error *err)
{
    const struct pm_names *sets = NULL;
    int status = list_sets(chip, &sets, err);
    if (status != RF_PM_OK)
        return status;
    for (size_t i = 0; i < sets->n; i++) {
        if (strcmp(sets->name[i], set) == 0)
            return RF_PM_OK;
    }
    const char *nearest = rf_nearest_name(set, sets->name, sets->n);
    return pm_fail(err, RF_PM_ERR_ARGUMENT, "%s has no single-pass metric set '%s'%s%s%s",
                   chip->name, set, nearest != NULL ? ": did you mean '" : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* The two buffers that CUPTI fills. */
static int list_metrics(struct rf_pm_chip *chip, struct pm_get_metrics_in_set *params,
                        const struct pm_names **out, struct rf_pm_error *err)
{
    size_t n = params->n, size = params->size;
    const char **names = calloc(n + 1, sizeof(*names));
    params->indices = calloc(n + 1, sizeof(*params->indices));
    params->buffer = calloc(1, size + 1);
    int status = RF_PM_OK, code = PM_SUCCESS;
    bool has_room = names != NULL && params->indices != NULL && params->buffer != NULL;
    if (has_room)
        code = chip->library->call.cuptiProfilerHostGetMetricsInSinglePassSet(params);
    if (!has_room) {
        status = pm_no_memory(err);
    } else if (code != PM_SUCCESS) {
        status = pm_fail_code(err, code, "cuptiProfilerHostGetMetricsInSinglePassSet", chip->name);
    } else {
        for (size_t i = 0; i < n; i++)
            names[i] = params->indices[i] < size ? (char *)params->buffer + params->indices[i] : "";
        *out = pm_strings_add_list(&chip->strings, names, n, 0);
        status = *out != NULL ? RF_PM_OK : pm_no_memory(err);
    }
    free(names);
    return status;
}

static int metrics_of(struct rf_pm_chip *chip, const char *set, const struct pm_names **out,
                      struct rf_pm_error *err)
{
    struct pm_get_metrics_in_set params = {
        .struct_size = PM_GET_METRICS_IN_SET_SIZE, .chip = chip->name, .set = set};
    int status = pm_chip_check_set(chip, set, err);
    if (status != RF_PM_OK)
        return status;
    int code = chip->library->call.cuptiProfilerHostGetMetricsInSinglePassSet(&params);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiProfilerHostGetMetricsInSinglePassSet", set);
    if (params.n == 0) { /* a second call with no room is another question */
        *out = pm_strings_add_list(&chip->strings, NULL, 0, 0);
        return *out != NULL ? RF_PM_OK : pm_no_memory(err);
    }
    status = list_metrics(chip, &params, out, err);
    free(params.indices);
    free(params.buffer);
    return status;
}

int rf_pm_chip_single_pass_sets(rf_pm_chip *chip, const char *const **names, size_t *n,
                                struct rf_pm_error *err)
{
    const struct pm_names *list = NULL;
    if (chip == NULL || names == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chip_single_pass_sets");
    (void)pthread_mutex_lock(&chip->lock);
    int status = list_sets(chip, &list, err);
    (void)pthread_mutex_unlock(&chip->lock);
    *names = list != NULL ? list->name : NULL;
    *n = list != NULL ? list->n : 0;
    return status;
}

int rf_pm_chip_single_pass_metrics(rf_pm_chip *chip, const char *set, const char *const **names,
                                   size_t *n, struct rf_pm_error *err)
{
    const struct pm_names *list = NULL;
    if (chip == NULL || names == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chip_single_pass_metrics");
    *names = NULL;
    *n = 0;
    if (set == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "no single-pass metric set is named");
    (void)pthread_mutex_lock(&chip->lock);
    int status = metrics_of(chip, set, &list, err);
    (void)pthread_mutex_unlock(&chip->lock);
    *names = list != NULL ? list->name : NULL;
    *n = list != NULL ? list->n : 0;
    return status;
}
