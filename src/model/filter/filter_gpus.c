/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, devices, contexts and streams of a filtered recording. All those of the processes and GPUs
 * that it keeps stay: their names and numbers hold for the whole run. */
#include "model/filter/filter_gpus.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/filter/filter_parse.h"
#include "model/gpu/gpu_places.h"
#include "model/recording.h"

static int copy_devices(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                        const uint32_t *process)
{
    for (uint32_t i = 0; i < from->places.n_devices; i++) {
        struct rf_gpu_device device = from->places.device[i];
        device.process = process[device.process];
        if (device.process != RF_NO_INDEX && rf_filter_has_gpu(filter, device.device) &&
            rf_gpu_places_add_device(&to->places, &device) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static int copy_contexts(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                         const uint32_t *process)
{
    for (uint32_t i = 0; i < from->places.n_contexts; i++) {
        struct rf_gpu_context context = from->places.context[i];
        context.process = process[context.process];
        if (context.process != RF_NO_INDEX && rf_filter_has_gpu(filter, context.device) &&
            rf_gpu_places_add_context(&to->places, &context) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static bool keeps_stream(const struct rf_filter *filter, const struct rf_gpu_stream *stream)
{
    return stream->device == RF_NO_INDEX || rf_filter_has_gpu(filter, stream->device);
}

static int copy_streams(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                        const uint32_t *process)
{
    for (uint32_t i = 0; i < from->places.n_streams; i++) {
        struct rf_gpu_stream stream = from->places.stream[i];
        stream.process = process[stream.process];
        if (stream.process != RF_NO_INDEX && keeps_stream(filter, &stream) &&
            rf_gpu_places_add_stream(&to->places, &stream) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static int copy_facts(const rf_recording *from, rf_recording *to)
{
    uint32_t n = from->places.n_facts;
    if (n == 0)
        return RF_OK;
    to->places.fact = malloc(n * sizeof(*to->places.fact));
    if (to->places.fact == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(to->places.fact, from->places.fact, n * sizeof(*to->places.fact));
    to->places.n_facts = n;
    return RF_OK;
}

/* A GPU stays if the filter names its number on the machine or in a process. */
static bool keeps_gpu(const struct rf_filter *filter, const rf_recording *from,
                      const rf_recording *to, uint32_t gpu)
{
    for (uint32_t i = 0; i < to->places.n_devices; i++)
        if (to->places.device[i].gpu == gpu)
            return true;
    return rf_filter_has_gpu(filter, from->gpu[gpu].id);
}

static int copy_gpus(const struct rf_filter *filter, const rf_recording *from, rf_recording *to)
{
    uint32_t *place = malloc(((size_t)from->n_gpus + 1) * sizeof(*place));
    to->gpu = calloc((size_t)from->n_gpus + 1, sizeof(*to->gpu));
    if (place == NULL || to->gpu == NULL) {
        free(place);
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < from->n_gpus; i++) {
        place[i] = keeps_gpu(filter, from, to, i) ? to->n_gpus : RF_NO_INDEX;
        if (place[i] != RF_NO_INDEX)
            to->gpu[to->n_gpus++] = from->gpu[i];
    }
    for (uint32_t i = 0; i < to->places.n_devices; i++)
        if (to->places.device[i].gpu < from->n_gpus)
            to->places.device[i].gpu = place[to->places.device[i].gpu];
    free(place);
    return RF_OK;
}

int rf_filter_copy_gpus(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                        const uint32_t *process)
{
    int status = copy_devices(filter, from, to, process);
    if (status == RF_OK)
        status = copy_contexts(filter, from, to, process);
    if (status == RF_OK)
        status = copy_streams(filter, from, to, process);
    if (status == RF_OK)
        status = copy_facts(from, to);
    if (status == RF_OK)
        status = copy_gpus(filter, from, to);
    return status;
}
