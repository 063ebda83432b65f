/* SPDX-License-Identifier: Apache-2.0 */
/* Taking samples out of the hardware buffer. */
#include <stdlib.h>
#include <string.h>

#include "pmsampling/pm_collector.h"
#include "pmsampling/pm_data.h"
#include "pmsampling/pm_error.h"

void pm_collector_forget_pristine(struct rf_pm_collector *c)
{
    free(c->pristine);
    c->pristine = NULL;
    c->pristine_size = 0;
    c->pristine_samples = 0;
}

static int ask_size(const struct rf_pm_collector *c, uint32_t max_samples, size_t *size,
                    struct rf_pm_error *err)
{
    struct pm_get_counter_data_size params = {.struct_size = PM_GET_COUNTER_DATA_SIZE_SIZE,
                                              .object = c->object,
                                              .names = (const char *const *)c->setup.metrics,
                                              .n = c->setup.n_metrics,
                                              .max_samples = max_samples};
    int code = c->library->call.cuptiPmSamplingGetCounterDataSize(&params);
    *size = params.size;
    return code == PM_SUCCESS ? RF_PM_OK
                              : pm_fail_code(err, code, "cuptiPmSamplingGetCounterDataSize",
                                             "there is no room for samples");
}

/* Initializing an image takes longer than copying one. */
static int prepare_pristine(struct rf_pm_collector *c, uint32_t max_samples,
                            struct rf_pm_error *err)
{
    size_t size;
    if (c->pristine_samples == max_samples)
        return RF_PM_OK;
    pm_collector_forget_pristine(c);
    int status = ask_size(c, max_samples, &size, err);
    if (status != RF_PM_OK)
        return status;
    c->pristine = size > 0 ? calloc(1, size) : NULL;
    if (c->pristine == NULL)
        return pm_fail(err, RF_PM_ERR_NO_MEMORY,
                       "out of memory: %u samples take %zu bytes; ask for fewer",
                       (unsigned)max_samples, size);
    struct pm_image_initialize params = {.struct_size = PM_IMAGE_INITIALIZE_SIZE,
                                         .object = c->object,
                                         .size = size,
                                         .image = c->pristine};
    int code = c->library->call.cuptiPmSamplingCounterDataImageInitialize(&params);
    if (code != PM_SUCCESS) {
        pm_collector_forget_pristine(c);
        return pm_fail_code(err, code, "cuptiPmSamplingCounterDataImageInitialize",
                            "there is no room for samples");
    }
    c->pristine_size = size;
    c->pristine_samples = max_samples;
    c->sample_bytes = size / max_samples;
    return RF_PM_OK;
}

static int fail_decode(const struct rf_pm_collector *c, int code, struct rf_pm_error *err)
{
    static const char function[] = "cuptiPmSamplingDecodeData";
    if (code == PM_OUT_OF_MEMORY)
        return pm_fail_cupti(err, RF_PM_ERR_OVERFLOW, code, function,
                             "the hardware buffer of %zu bytes of GPU %zu was full, samples are "
                             "lost: a larger buffer, a longer interval, fewer metrics or decoding "
                             "more often help",
                             c->setup.hardware_buffer_bytes, c->device);
    if (code == PM_INVALID_OPERATION)
        return pm_fail_cupti(err, RF_PM_ERR_ORDER, code, function,
                             "there is nothing to decode: sampling of GPU %zu was never started",
                             c->device);
    return pm_fail_code(err, code, function, "samples cannot be decoded");
}

static int decode_image(const struct rf_pm_collector *c, struct rf_pm_data *data,
                        struct rf_pm_error *err)
{
    struct pm_decode params = {.struct_size = PM_DECODE_SIZE,
                               .object = c->object,
                               .image = data->image,
                               .size = data->image_size};
    memcpy(data->image, c->pristine, c->pristine_size);
    int code = c->library->call.cuptiPmSamplingDecodeData(&params);
    if (code != PM_SUCCESS)
        return fail_decode(c, code, err);
    data->info.stop_reason = params.stop_reason == RF_PM_STOP_DATA_FULL ||
                                     params.stop_reason == RF_PM_STOP_END_OF_RECORDS
                                 ? params.stop_reason
                                 : RF_PM_STOP_OTHER;
    data->info.is_overflow = params.overflow != 0;
    return RF_PM_OK;
}

/* Only of an image that was just decoded: of others CUPTI makes a crash. */
static int count_samples(const struct rf_pm_collector *c, struct rf_pm_data *data,
                         struct rf_pm_error *err)
{
    struct pm_get_counter_data_info params = {.struct_size = PM_GET_COUNTER_DATA_INFO_SIZE,
                                              .image = data->image,
                                              .size = data->image_size};
    int code = c->library->call.cuptiPmSamplingGetCounterDataInfo(&params);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiPmSamplingGetCounterDataInfo",
                            "samples cannot be counted");
    data->info.n_total = params.n_total;
    data->info.n_completed = params.n_completed;
    /* what is complete is populated; nothing is thrown away for a number that nobody needs */
    data->info.n_populated =
        params.n_populated > params.n_completed ? params.n_populated : params.n_completed;
    return pm_data_check_numbers(&data->info, err);
}

static int read_times(const struct rf_pm_collector *c, struct rf_pm_data *data,
                      struct rf_pm_error *err)
{
    size_t n = data->info.n_completed;
    int status = pm_data_make_times(data, err);
    for (size_t i = 0; status == RF_PM_OK && i < n; i++) {
        struct pm_get_sample_info params = {.struct_size = PM_GET_SAMPLE_INFO_SIZE,
                                            .object = c->object,
                                            .image = data->image,
                                            .size = data->image_size,
                                            .index = i};
        int code = c->library->call.cuptiPmSamplingCounterDataGetSampleInfo(&params);
        if (code != PM_SUCCESS)
            status = pm_fail_code(err, code, "cuptiPmSamplingCounterDataGetSampleInfo",
                                  "the times of samples are not known");
        data->times[i] = params.start;
        data->times[n + i] = params.end;
    }
    return status;
}

static int decode(struct rf_pm_collector *c, uint32_t max_samples, struct rf_pm_data **out,
                  struct rf_pm_error *err)
{
    struct rf_pm_data *data = NULL;
    int status = prepare_pristine(c, max_samples, err);
    if (status == RF_PM_OK)
        status =
            pm_data_make(c->chip, c->setup.single_pass_set, (const char *const *)c->setup.metrics,
                         c->setup.n_metrics, &data, err);
    if (status == RF_PM_OK)
        status = pm_data_make_image(data, c->spare, c->pristine_size, err);
    if (status == RF_PM_OK)
        status = decode_image(c, data, err);
    if (status == RF_PM_OK)
        status = count_samples(c, data, err);
    if (status == RF_PM_OK)
        status = read_times(c, data, err);
    if (status != RF_PM_OK) {
        rf_pm_data_free(data);
        return status;
    }
    data->info.cupti_version = c->library->info.version;
    data->info.is_first = c->is_fresh && data->info.n_completed > 0;
    if (data->info.n_completed > 0)
        c->is_fresh = false;
    *out = data;
    return RF_PM_OK;
}

static int decode_alone(struct rf_pm_collector *c, uint32_t max_samples, struct rf_pm_data **out,
                        struct rf_pm_error *err)
{
    (void)pthread_mutex_lock(&c->lock);
    int status = pm_collector_check_enabled(c, "decoded", err);
    if (status == RF_PM_OK && c->setup.image.bytes == NULL)
        status = pm_fail(err, RF_PM_ERR_ORDER,
                         "the collector of GPU %zu is not configured: there is nothing to decode",
                         c->device);
    if (status == RF_PM_OK && max_samples == 0)
        status = pm_fail(err, RF_PM_ERR_ARGUMENT, "0 samples are asked for");
    if (status == RF_PM_OK)
        status = decode(c, max_samples, out, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

int rf_pm_collector_decode(rf_pm_collector *c, uint32_t max_samples, rf_pm_data **out,
                           struct rf_pm_error *err)
{
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_collector_decode");
    *out = NULL;
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    /* exchanged with acquire and stored with release: one thread between the two */
    if (atomic_exchange_explicit(&c->is_decoding, 1, memory_order_acquire) != 0)
        return pm_fail(err, RF_PM_ERR_ORDER,
                       "another thread decodes the samples of GPU %zu at this moment", c->device);
    status = decode_alone(c, max_samples, out, err);
    atomic_store_explicit(&c->is_decoding, 0, memory_order_release);
    return status;
}
