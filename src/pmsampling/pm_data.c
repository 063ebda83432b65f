/* SPDX-License-Identifier: Apache-2.0 */
/* Counter data: making it, its image and seal, and turning it into values. */
#include "pmsampling/pm_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"

/* ---- Making ---- */

/* What NVIDIA's names consist of, and what is no risk in a message. */
static bool is_name(const char *text, size_t max)
{
    size_t n = strnlen(text, max);
    for (size_t i = 0; i < n; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return n > 0 && n < max;
}

static int check_names(const char *chip, const char *set, const char *const *metrics,
                       size_t n_metrics, struct rf_pm_error *err)
{
    if (chip == NULL || !is_name(chip, 32))
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "the name of the chip is not valid");
    if (set != NULL && !is_name(set, PM_MAX_SET))
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "the name of the single-pass set is not valid");
    if (n_metrics == 0 || n_metrics > PM_MAX_METRICS || metrics == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "there are %zu metrics: 1 to %d are valid",
                       n_metrics, PM_MAX_METRICS);
    for (size_t i = 0; i < n_metrics; i++) {
        if (metrics[i] == NULL || !is_name(metrics[i], PM_MAX_NAME))
            return pm_fail(err, RF_PM_ERR_ARGUMENT, "the name of metric %zu is not valid", i);
    }
    return RF_PM_OK;
}

static const char *put(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *begin = memcpy(*at, text, size);
    *at += size;
    return begin;
}

int pm_data_make(const char *chip, const char *set, const char *const *metrics, size_t n_metrics,
                 struct rf_pm_data **out, struct rf_pm_error *err)
{
    *out = NULL;
    int status = check_names(chip, set, metrics, n_metrics, err);
    if (status != RF_PM_OK)
        return status;
    size_t size = strlen(chip) + 1 + (set != NULL ? strlen(set) + 1 : 0);
    for (size_t i = 0; i < n_metrics; i++)
        size += strlen(metrics[i]) + 1;
    struct rf_pm_data *data = calloc(1, sizeof(*data));
    if (data == NULL)
        return pm_no_memory(err);
    (void)pthread_mutex_init(&data->lock, NULL);
    data->text = malloc(size);
    data->metrics = calloc(n_metrics, sizeof(*data->metrics));
    if (data->text == NULL || data->metrics == NULL) {
        rf_pm_data_free(data);
        return pm_no_memory(err);
    }
    char *at = data->text;
    data->info.chip = put(&at, chip);
    data->info.single_pass_set = set != NULL ? put(&at, set) : NULL;
    for (size_t i = 0; i < n_metrics; i++)
        data->metrics[i] = put(&at, metrics[i]);
    data->info.size = sizeof(data->info);
    data->info.metrics = data->metrics;
    data->info.n_metrics = n_metrics;
    *out = data;
    return RF_PM_OK;
}

int pm_data_make_times(struct rf_pm_data *data, struct rf_pm_error *err)
{
    size_t n = data->info.n_completed;
    data->times = n < SIZE_MAX / 32 ? calloc(2 * n + 1, sizeof(uint64_t)) : NULL;
    data->info.start_ns = data->times;
    data->info.end_ns = data->times + n;
    return data->times != NULL ? RF_PM_OK : pm_no_memory(err);
}

int pm_data_make_image(struct rf_pm_data *data, struct pm_spare *spare, size_t size,
                       struct rf_pm_error *err)
{
    data->image_size = size;
    data->spare = pm_spare_share(spare);
    if (size < SIZE_MAX - sizeof(struct pm_seal))
        data->image = pm_spare_take(spare, size + sizeof(struct pm_seal));
    if (data->image == NULL)
        return pm_fail(err, RF_PM_ERR_NO_MEMORY,
                       "out of memory: counter data of %zu bytes; ask for fewer samples", size);
    return RF_PM_OK;
}

int pm_data_check_numbers(const struct rf_pm_data_info *info, struct rf_pm_error *err)
{
    if (info->n_completed <= info->n_populated && info->n_populated <= info->n_total &&
        info->n_total <= UINT32_MAX)
        return RF_PM_OK;
    return pm_fail(err, RF_PM_ERR_ARGUMENT,
                   "%zu samples are complete, of %zu that have values, of %zu: these numbers "
                   "contradict each other",
                   info->n_completed, info->n_populated, info->n_total);
}

void rf_pm_data_free(rf_pm_data *data)
{
    if (data == NULL)
        return;
    pm_host_close(&data->host);
    (void)pthread_mutex_destroy(&data->lock);
    free(data->text);
    free(data->metrics);
    free(data->times);
    pm_spare_give(data->spare, data->image);
    pm_spare_drop(data->spare);
    free(data);
}

const struct rf_pm_data_info *rf_pm_data_get_info(const rf_pm_data *data)
{
    return data != NULL ? &data->info : NULL;
}

/* ---- The image and its seal ---- */

static uint32_t crc_of_seal(const struct pm_seal *seal)
{
    return rf_crc32c(0, seal, offsetof(struct pm_seal, seal_crc));
}

static void seal_image(struct rf_pm_data *data)
{
    (void)pthread_mutex_lock(&data->lock);
    if (!data->is_sealed) {
        struct pm_seal seal = {.magic = PM_SEAL_MAGIC,
                               .size = data->image_size,
                               .cupti_version = data->info.cupti_version,
                               .image_crc = rf_crc32c(0, data->image, data->image_size)};
        seal.seal_crc = crc_of_seal(&seal);
        memcpy(data->image + data->image_size, &seal, sizeof(seal));
        data->is_sealed = true;
    }
    (void)pthread_mutex_unlock(&data->lock);
}

const uint8_t *rf_pm_data_image(const rf_pm_data *data, size_t *size)
{
    if (size != NULL)
        *size = data != NULL ? data->image_size + sizeof(struct pm_seal) : 0;
    if (data == NULL)
        return NULL;
    seal_image((struct rf_pm_data *)data); /* behind the image, once */
    return data->image;
}

static int check_seal(const uint8_t *image, size_t size, struct pm_seal *seal,
                      struct rf_pm_error *err)
{
    if (image == NULL || size <= sizeof(*seal))
        return pm_fail(err, RF_PM_ERR_DATA, "%zu bytes are no image of counter data", size);
    memcpy(seal, image + size - sizeof(*seal), sizeof(*seal));
    if (memcmp(seal->magic, PM_SEAL_MAGIC, sizeof(seal->magic)) != 0 ||
        seal->size != size - sizeof(*seal) || seal->seal_crc != crc_of_seal(seal))
        return pm_fail(err, RF_PM_ERR_DATA,
                       "these %zu bytes are no image of counter data that Rangefinder decoded: it "
                       "ends with a seal, and theirs is missing or damaged",
                       size);
    if (rf_crc32c(0, image, (size_t)seal->size) != seal->image_crc)
        return pm_fail(err, RF_PM_ERR_DATA,
                       "the image of counter data is damaged: its checksum "
                       "does not agree");
    return RF_PM_OK;
}

static int fill(struct rf_pm_data *data, const struct rf_pm_data_info *info, const void *image,
                const struct pm_seal *seal, struct rf_pm_error *err)
{
    struct rf_pm_data_info *own = &data->info;
    size_t n = info->n_completed;
    own->n_total = info->n_total;
    own->n_populated = info->n_populated;
    own->n_completed = n;
    own->cupti_version = seal->cupti_version;
    own->stop_reason = info->stop_reason;
    own->is_overflow = info->is_overflow != 0;
    own->is_first = info->is_first != 0;
    int status = pm_data_make_times(data, err);
    if (status == RF_PM_OK)
        status = pm_data_make_image(data, NULL, (size_t)seal->size, err);
    if (status != RF_PM_OK)
        return status;
    if (n > 0) {
        memcpy(data->times, info->start_ns, n * sizeof(uint64_t));
        memcpy(data->times + n, info->end_ns, n * sizeof(uint64_t));
    }
    memcpy(data->image, image, (size_t)seal->size); /* sealed when it is asked for */
    return RF_PM_OK;
}

static bool has_seal(const uint8_t *image, size_t size)
{
    const size_t at = size > sizeof(struct pm_seal) ? size - sizeof(struct pm_seal) : 0;
    return at > 0 && memcmp(image + at, PM_SEAL_MAGIC, sizeof(((struct pm_seal *)0)->magic)) == 0;
}

static int take_info(struct rf_pm_data_info *own, const struct rf_pm_data_info *info,
                     struct rf_pm_error *err)
{
    if (info == NULL)
        return pm_fail_null(err, "rf_pm_data_new");
    return pm_fail_sized(err, rf_sized_read(own, sizeof(*own), info), "rf_pm_data_info");
}

static int new_data(const struct rf_pm_data_info *given, const void *image, size_t image_size,
                    bool is_trusted, rf_pm_data **out, struct rf_pm_error *err)
{
    struct rf_pm_data_info own;
    const struct rf_pm_data_info *info = &own;
    struct pm_seal seal = {.size = image_size};
    struct rf_pm_data *data = NULL;
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_data_new");
    *out = NULL;
    int status = take_info(&own, given, err);
    if (status == RF_PM_OK)
        status = pm_data_check_numbers(info, err);
    if (status == RF_PM_OK && info->n_completed > 0 &&
        (info->start_ns == NULL || info->end_ns == NULL))
        status = pm_fail(err, RF_PM_ERR_ARGUMENT, "the times of the samples are missing");
    if (status == RF_PM_OK && is_trusted && (image == NULL || image_size == 0))
        status = pm_fail(err, RF_PM_ERR_DATA, "0 bytes are no image of counter data");
    if (status == RF_PM_OK && (!is_trusted || has_seal(image, image_size)))
        status = check_seal(image, image_size, &seal, err);
    if (status == RF_PM_OK)
        status = pm_data_make(info->chip, info->single_pass_set, info->metrics, info->n_metrics,
                              &data, err);
    if (status == RF_PM_OK)
        status = fill(data, info, image, &seal, err);
    if (status == RF_PM_OK)
        *out = data;
    else
        rf_pm_data_free(data);
    return status;
}

int rf_pm_data_new(const struct rf_pm_data_info *info, const void *image, size_t image_size,
                   rf_pm_data **out, struct rf_pm_error *err)
{
    return new_data(info, image, image_size, false, out, err);
}

int rf_pm_data_new_trusted(const struct rf_pm_data_info *info, const void *image, size_t image_size,
                           rf_pm_data **out, struct rf_pm_error *err)
{
    return new_data(info, image, image_size, true, out, err);
}

/* ---- Values ---- */

static int check_library(const struct rf_pm_data *data, const struct pm_library *library,
                         struct rf_pm_error *err)
{
    if (library->info.version >= data->info.cupti_version)
        return RF_PM_OK;
    return pm_fail(err, RF_PM_ERR_LIBRARY,
                   "the samples were collected with a later CUPTI (%" PRIu32 ") than '%s' (%" PRIu32
                   "), which may not understand them; RANGEFINDER_CUPTI can name another one",
                   data->info.cupti_version, library->info.path, library->info.version);
}

/* Metrics are tested where they come from outside: CUPTI is given none that it does not know. The
 * object is one without a single-pass set, as in NVIDIA's own module: that is for scheduling. */
static int open_host(struct rf_pm_data *data, struct rf_pm_error *err)
{
    if (data->host.object != NULL)
        return RF_PM_OK;
    const struct pm_library *library = pm_library_get(err);
    if (library == NULL)
        return RF_PM_ERR_LIBRARY;
    int status = check_library(data, library, err);
    const struct pm_host_kind kind = {.library = library, .chip = data->info.chip};
    if (status == RF_PM_OK)
        status = pm_host_open(&data->host, &kind, err);
    for (size_t i = 0; status == RF_PM_OK && i < data->info.n_metrics; i++) {
        if (!pm_host_knows(&data->host, data->metrics[i])) {
            status = pm_fail_cupti(err, RF_PM_ERR_METRIC, PM_INVALID_METRIC_NAME,
                                   "cuptiProfilerHostGetMetricProperties",
                                   "%s has no metric '%.200s'", data->info.chip, data->metrics[i]);
            pm_host_close(&data->host);
        }
    }
    return status;
}

static int evaluate(const struct rf_pm_data *data, size_t first, size_t n, double *values,
                    struct rf_pm_error *err)
{
    size_t n_metrics = data->info.n_metrics;
    struct pm_evaluate params = {.struct_size = PM_EVALUATE_SIZE,
                                 .host = data->host.object,
                                 .image = data->image,
                                 .size = data->image_size,
                                 .names = data->info.metrics,
                                 .n = n_metrics};
    for (size_t i = 0; i < n; i++) {
        params.index = first + i;
        params.values = values + i * n_metrics;
        int code = data->host.cupti->call.cuptiProfilerHostEvaluateToGpuValues(&params);
        if (code != PM_SUCCESS)
            return pm_fail_code(err, code, "cuptiProfilerHostEvaluateToGpuValues",
                                "samples cannot be evaluated");
    }
    return RF_PM_OK;
}

int rf_pm_data_evaluate(const rf_pm_data *data, size_t first, size_t n, double *values,
                        struct rf_pm_error *err)
{
    if (data == NULL || (values == NULL && n > 0))
        return pm_fail_null(err, "rf_pm_data_evaluate");
    if (first > data->info.n_completed || n > data->info.n_completed - first)
        return pm_fail(err, RF_PM_ERR_ARGUMENT,
                       "samples %zu to %zu are asked for; there are %zu, from 0", first,
                       first + n - 1, data->info.n_completed);
    if (n == 0)
        return RF_PM_OK;
    struct rf_pm_data *own = (struct rf_pm_data *)data; /* its lock, and CUPTI's object, once */
    (void)pthread_mutex_lock(&own->lock);
    int status = open_host(own, err);
    if (status == RF_PM_OK)
        status = evaluate(own, first, n, values, err);
    (void)pthread_mutex_unlock(&own->lock);
    return status;
}
