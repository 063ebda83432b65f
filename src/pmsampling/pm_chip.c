/* SPDX-License-Identifier: Apache-2.0 */
/* A chip's metrics, as CUPTI lists and describes them. */
#include "pmsampling/pm_chip.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "pmsampling/pm_error.h"

const char *const pm_plain_submetric[3] = {".avg", ".ratio", ".avg.pct_of_peak_sustained_elapsed"};

/* ---- Chips ---- */

static int list_chips(const struct pm_library *library, const char *const **names, size_t *n,
                      struct rf_pm_error *err)
{
    struct pm_get_supported_chips params = {.struct_size = PM_GET_SUPPORTED_CHIPS_SIZE};
    int code = library->call.cuptiProfilerHostGetSupportedChips(&params);
    *names = code == PM_SUCCESS ? params.chips : NULL;
    *n = code == PM_SUCCESS ? params.n : 0;
    return code == PM_SUCCESS ? RF_PM_OK
                              : pm_fail_code(err, code, "cuptiProfilerHostGetSupportedChips",
                                             "the chips cannot be listed");
}

int rf_pm_chips(const char *const **names, size_t *n, struct rf_pm_error *err)
{
    if (names == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chips");
    *names = NULL;
    *n = 0;
    const struct pm_library *library = pm_library_get(err);
    return library != NULL ? list_chips(library, names, n, err) : RF_PM_ERR_LIBRARY;
}

/* Whether it is a chip that later versions know. */
static bool is_chip(const char *name)
{
    for (size_t i = 0; rf_pm_set_at(i) != NULL; i++) {
        for (const char *const *chip = rf_pm_set_at(i)->chips; *chip != NULL; chip++) {
            if (strcasecmp(*chip, name) == 0)
                return true;
        }
    }
    return false;
}

static int fail_unknown_chip(const struct pm_library *library, const char *name,
                             const char *const *names, size_t n, struct rf_pm_error *err)
{
    char hint[PATH_MAX + 64] = "", upper[32];
    size_t size = strnlen(name, sizeof(upper) - 1);
    for (size_t i = 0; i < size; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    upper[size] = '\0';
    const char *nearest = rf_nearest_name(upper, names, n);
    if (is_chip(name))
        (void)snprintf(hint, sizeof(hint), ": a later one does; '%s' is loaded",
                       library->info.path);
    else if (nearest != NULL)
        (void)snprintf(hint, sizeof(hint), ": did you mean '%s'?", nearest);
    return pm_fail_cupti(err, RF_PM_ERR_CHIP, PM_INVALID_CHIP_NAME, "cuptiProfilerHostInitialize",
                         "CUPTI of CUDA %d.%d does not know the chip '%.64s'%s",
                         library->info.major, library->info.minor, name, hint);
}

/* Copies the name as CUPTI spells it. */
static int find_chip(const struct pm_library *library, const char *name, char *out, size_t size,
                     struct rf_pm_error *err)
{
    const char *const *names;
    size_t n;
    int status = list_chips(library, &names, &n, err);
    if (status != RF_PM_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(names[i], name) == 0) {
            (void)snprintf(out, size, "%s", names[i]);
            return RF_PM_OK;
        }
    }
    return fail_unknown_chip(library, name, names, n, err);
}

struct pm_host_kind pm_chip_host_kind(const struct rf_pm_chip *chip, const char *set)
{
    return (struct pm_host_kind){chip->library, chip->name, chip->availability, set};
}

static int open_chip(struct rf_pm_chip *chip, const char *name, const uint8_t *availability,
                     size_t n, struct rf_pm_error *err)
{
    int status = find_chip(chip->library, name, chip->name, sizeof(chip->name), err);
    if (status != RF_PM_OK)
        return status;
    chip->availability = availability != NULL ? malloc(n) : NULL;
    if (availability != NULL && chip->availability == NULL)
        return pm_no_memory(err);
    if (availability != NULL)
        memcpy(chip->availability, availability, n);
    const struct pm_host_kind kind = pm_chip_host_kind(chip, NULL);
    return pm_host_open(&chip->host, &kind, err);
}

int pm_chip_open_of(const char *name, const uint8_t *availability, size_t n, rf_pm_chip **out,
                    struct rf_pm_error *err)
{
    *out = NULL;
    const struct pm_library *library = pm_library_get(err);
    if (library == NULL)
        return RF_PM_ERR_LIBRARY;
    struct rf_pm_chip *chip = calloc(1, sizeof(*chip));
    if (chip == NULL)
        return pm_no_memory(err);
    chip->library = library;
    (void)pthread_mutex_init(&chip->lock, NULL);
    int status = open_chip(chip, name, availability, n, err);
    if (status != RF_PM_OK)
        rf_pm_chip_close(chip);
    else
        *out = chip;
    return status;
}

int rf_pm_chip_open(const char *name, rf_pm_chip **out, struct rf_pm_error *err)
{
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_chip_open");
    *out = NULL;
    if (name == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "no chip is named");
    return pm_chip_open_of(name, NULL, 0, out, err);
}

void rf_pm_chip_close(rf_pm_chip *chip)
{
    if (chip == NULL)
        return;
    pm_host_close(&chip->host);
    pm_strings_release(&chip->strings);
    free(chip->availability);
    free(chip->metric);
    (void)pthread_mutex_destroy(&chip->lock);
    free(chip);
}

const char *rf_pm_chip_name(const rf_pm_chip *chip)
{
    return chip != NULL ? chip->name : NULL;
}

/* ---- What a metric is ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* CUPTI 13.5 says the unit of the base metric whatever the submetric; 13.0 that of the whole. */
static const char *unit_of(const char *unit, const char *base_unit, const char *submetric,
                           char *buffer, size_t size)
{
    bool is_cycles = strstr(base_unit, "cycle") != NULL;
    if (strcmp(unit, base_unit) != 0)
        return unit;
    if (strstr(submetric, "pct") != NULL)
        return "percent";
    if (ends_with(submetric, ".per_second")) {
        (void)snprintf(buffer, size, "%s/second", base_unit);
        return buffer;
    }
    if (strstr(submetric, ".per_cycle") != NULL || ends_with(submetric, ".peak_sustained")) {
        (void)snprintf(buffer, size, "%s/cycle", base_unit);
        return is_cycles ? "" : buffer;
    }
    return unit;
}

/* Of a metric that is known, given with its submetric; base_size: of its name without. */
static int describe(struct rf_pm_chip *chip, const char *full, size_t base_size,
                    struct rf_pm_metric *out, struct rf_pm_error *err)
{
    struct pm_get_metric_properties properties, base;
    char plain[PM_MAX_NAME + 64], unit[256];
    int code = pm_host_properties(&chip->host, full, &properties);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiProfilerHostGetMetricProperties", full);
    int type = properties.type >= RF_PM_COUNTER && properties.type <= RF_PM_THROUGHPUT
                   ? properties.type
                   : RF_PM_COUNTER;
    (void)snprintf(plain, sizeof(plain), "%.*s%s", (int)base_size, full, pm_plain_submetric[type]);
    const char *dim = properties.dim_unit != NULL ? properties.dim_unit : "";
    if (pm_host_properties(&chip->host, plain, &base) == PM_SUCCESS && base.dim_unit != NULL)
        dim = unit_of(dim, base.dim_unit, full + base_size, unit, sizeof(unit));
    out->type = type;
    out->description = pm_strings_add(&chip->strings, properties.description);
    out->hw_unit = pm_strings_add(&chip->strings, properties.hw_unit);
    out->unit = pm_strings_add(&chip->strings, dim);
    return out->description != NULL && out->hw_unit != NULL && out->unit != NULL
               ? RF_PM_OK
               : pm_no_memory(err);
}

/* The size of a known metric's name without its submetric. */
static size_t base_size_of(const struct rf_pm_chip *chip, const char *full)
{
    size_t longest = 0, n;
    const char **names;
    for (int type = RF_PM_COUNTER; type <= RF_PM_THROUGHPUT; type++) {
        if (pm_host_submetrics(&chip->host, full, type, &names, &n) != PM_SUCCESS)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (ends_with(full, names[i]) && strlen(names[i]) > longest)
                longest = strlen(names[i]);
        }
    }
    return strlen(full) - longest;
}

/* Completes a base metric's name, so that every version of CUPTI takes it. Returns whether metric,
 * with or without a submetric, is one. */
static bool complete(const struct rf_pm_chip *chip, const char *metric, char *full, size_t size)
{
    if (strlen(metric) >= PM_MAX_NAME)
        return false;
    (void)snprintf(full, size, "%s", metric);
    if (pm_host_knows(&chip->host, full))
        return true;
    for (int type = RF_PM_COUNTER; type <= RF_PM_THROUGHPUT; type++) {
        (void)snprintf(full, size, "%s%s", metric, pm_plain_submetric[type]);
        if (pm_host_knows(&chip->host, full))
            return true;
    }
    return false;
}

static int fail_one(struct rf_pm_chip *chip, const char *metric, struct rf_pm_error *err)
{
    const uint8_t fit = RF_PM_UNKNOWN;
    return pm_chip_fail_unknown(chip, &metric, &fit, 1, err);
}

int rf_pm_chip_describe(rf_pm_chip *chip, const char *metric, struct rf_pm_metric *out,
                        struct rf_pm_error *err)
{
    char full[PM_MAX_NAME + 64];
    if (out == NULL || chip == NULL)
        return pm_fail_null(err, "rf_pm_chip_describe");
    *out = (struct rf_pm_metric){.name = metric};
    if (metric == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "no metric is named");
    (void)pthread_mutex_lock(&chip->lock);
    int status = complete(chip, metric, full, sizeof(full))
                     ? describe(chip, full, base_size_of(chip, full), out, err)
                     : fail_one(chip, metric, err);
    (void)pthread_mutex_unlock(&chip->lock);
    return status;
}

int rf_pm_chip_submetrics(rf_pm_chip *chip, const char *metric, const char *const **names,
                          size_t *n, struct rf_pm_error *err)
{
    struct pm_get_metric_properties properties;
    const struct pm_names *list = NULL;
    const char **found;
    char full[PM_MAX_NAME + 64];
    int status = RF_PM_OK;
    if (chip == NULL || names == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chip_submetrics");
    *names = NULL;
    *n = 0;
    if (metric == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "no metric is named");
    (void)pthread_mutex_lock(&chip->lock);
    if (!complete(chip, metric, full, sizeof(full)) ||
        pm_host_properties(&chip->host, full, &properties) != PM_SUCCESS ||
        pm_host_submetrics(&chip->host, full, properties.type, &found, n) != PM_SUCCESS) {
        status = fail_one(chip, metric, err);
    } else {
        list = pm_strings_add_list(&chip->strings, found, *n, 1);
        status = list != NULL ? RF_PM_OK : pm_no_memory(err);
    }
    (void)pthread_mutex_unlock(&chip->lock);
    *names = list != NULL ? list->name : NULL;
    *n = list != NULL ? list->n : 0;
    return status;
}

/* ---- The list of metrics ---- */

static int compare_metrics(const void *a, const void *b)
{
    const struct rf_pm_metric *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int add_metric(struct rf_pm_chip *chip, const char *name, int type, struct rf_pm_error *err)
{
    char full[PM_MAX_NAME + 64];
    struct rf_pm_metric *metric = &chip->metric[chip->n_metrics];
    if (strlen(name) >= PM_MAX_NAME)
        return RF_PM_OK;
    (void)snprintf(full, sizeof(full), "%s%s", name, pm_plain_submetric[type]);
    int status = describe(chip, full, strlen(name), metric, err);
    metric->name = pm_strings_add(&chip->strings, name);
    metric->type = type;
    chip->n_metrics++;
    return status == RF_PM_OK && metric->name == NULL ? pm_no_memory(err) : status;
}

static int add_type(struct rf_pm_chip *chip, int type, struct rf_pm_error *err)
{
    struct pm_get_base_metrics params = {
        .struct_size = PM_GET_BASE_METRICS_SIZE, .host = chip->host.object, .type = type};
    int code = chip->library->call.cuptiProfilerHostGetBaseMetrics(&params);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiProfilerHostGetBaseMetrics", chip->name);
    size_t n = chip->n_metrics + params.n;
    struct rf_pm_metric *larger = realloc(chip->metric, (n + 1) * sizeof(*larger));
    if (larger == NULL)
        return pm_no_memory(err);
    chip->metric = larger;
    int status = RF_PM_OK;
    for (size_t i = 0; i < params.n && status == RF_PM_OK; i++)
        status = add_metric(chip, params.names[i], type, err);
    return status;
}

int pm_chip_list(struct rf_pm_chip *chip, struct rf_pm_error *err)
{
    int status = RF_PM_OK;
    if (chip->metric != NULL)
        return RF_PM_OK;
    for (int type = RF_PM_COUNTER; type <= RF_PM_THROUGHPUT && status == RF_PM_OK; type++)
        status = add_type(chip, type, err);
    if (status == RF_PM_OK) {
        qsort(chip->metric, chip->n_metrics, sizeof(*chip->metric), compare_metrics);
    } else {
        free(chip->metric);
        chip->metric = NULL;
        chip->n_metrics = 0;
    }
    return status;
}

int rf_pm_chip_metrics(rf_pm_chip *chip, const struct rf_pm_metric **metrics, size_t *n,
                       struct rf_pm_error *err)
{
    if (chip == NULL || metrics == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chip_metrics");
    (void)pthread_mutex_lock(&chip->lock);
    int status = pm_chip_list(chip, err);
    *metrics = chip->metric;
    *n = chip->n_metrics;
    (void)pthread_mutex_unlock(&chip->lock);
    return status;
}

int rf_pm_chip_counters_per_pass(rf_pm_chip *chip, size_t *n, struct rf_pm_error *err)
{
    if (chip == NULL || n == NULL)
        return pm_fail_null(err, "rf_pm_chip_counters_per_pass");
    struct pm_get_max_per_pass params = {.struct_size = PM_GET_MAX_PER_PASS_SIZE,
                                         .profiler_type = PM_PROFILER_TYPE_PM_SAMPLING,
                                         .chip = chip->name};
    (void)pthread_mutex_lock(&chip->lock);
    int code = chip->library->call.cuptiProfilerHostGetMaxNumHardwareMetricsPerPass(&params);
    (void)pthread_mutex_unlock(&chip->lock);
    *n = code == PM_SUCCESS ? params.n : 0;
    return code == PM_SUCCESS
               ? RF_PM_OK
               : pm_fail_code(err, code, "cuptiProfilerHostGetMaxNumHardwareMetricsPerPass",
                              chip->name);
}
