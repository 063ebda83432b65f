/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "log/cuda.h"
#include "model/cuda/cuda_object_names.h"
#include "model/gpu/gpu_places.h"
#include "model/load/properties.h"
#include "model/load/load.h"
#include "model/strings.h"

static struct rf_properties properties_of(const struct rf_load *load, uint32_t text)
{
    size_t size = 0;
    const char *bytes = rf_string(load->rec, text, &size);
    return (struct rf_properties){bytes, bytes != NULL ? bytes + size : NULL};
}

/* A number of 32 bits; 0: it is none. */
static uint32_t number_of(const struct rf_property *property)
{
    int64_t number;
    return rf_property_number(property, &number) && number >= 0 && number <= UINT32_MAX
               ? (uint32_t)number
               : 0;
}

/* ---- Definitions ---- */

static int add_text(struct rf_load *load, const struct rf_property *property, uint32_t *string)
{
    *string = rf_strings_add(&load->rec->strings, property->value, property->value_size);
    return *string != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

/* "9.0". */
static void set_capability(const struct rf_property *property, struct rf_gpu *gpu)
{
    const char *point = memchr(property->value, '.', property->value_size);
    size_t size = point != NULL ? (size_t)(point - property->value) : property->value_size;
    struct rf_property major = {.value = property->value, .value_size = size};
    struct rf_property minor = {.value = property->value, .value_size = 0};
    if (point != NULL)
        minor =
            (struct rf_property){.value = point + 1, .value_size = property->value_size - size - 1};
    gpu->capability_major = number_of(&major);
    gpu->capability_minor = number_of(&minor);
}

/* Those that struct rf_gpu has a field for. *is_taken: whether it is one. */
static int set_gpu_property(struct rf_load *load, const struct rf_property *property,
                            struct rf_gpu *gpu, bool *is_taken)
{
    int64_t number;
    *is_taken = 1;
    if (rf_property_is(property, "name"))
        return add_text(load, property, &gpu->name);
    if (rf_property_is(property, "chipName"))
        return add_text(load, property, &gpu->chip);
    if (rf_property_is(property, "uuid"))
        return add_text(load, property, &gpu->uuid);
    if (rf_property_is(property, "pci"))
        return add_text(load, property, &gpu->bus);
    if (rf_property_is(property, "memory"))
        gpu->memory_bytes =
            rf_property_number(property, &number) && number > 0 ? (uint64_t)number : 0;
    else if (rf_property_is(property, "multiprocessors"))
        gpu->n_multiprocessors = number_of(property);
    else if (rf_property_is(property, "capability"))
        set_capability(property, gpu);
    else
        *is_taken = 0;
    return RF_OK;
}

static int keep_device(struct rf_cuda_places *places, const struct rf_cuda_gpu *gpu)
{
    uint32_t i = rf_map_find(&places->gpu_of, gpu->process, gpu->device);
    if (i == RF_MAP_NONE) {
        i = places->n_gpus;
        if (rf_grow_array(&places->gpu, i, &places->gpu_room, sizeof(*gpu)) != RF_OK ||
            rf_map_set(&places->gpu_of, gpu->process, gpu->device, i) != RF_OK)
            return RF_ERR_NO_MEMORY;
        places->n_gpus++;
    }
    places->gpu[i] = *gpu;
    return RF_OK;
}

static int define_device(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         uint32_t text)
{
    struct rf_cuda_gpu gpu = {
        process,
        def->index,
        {.name = RF_NO_STRING, .chip = RF_NO_STRING, .uuid = RF_NO_STRING, .bus = RF_NO_STRING},
        text};
    struct rf_properties properties = properties_of(load, text);
    struct rf_property property;
    bool is_taken;
    int status = RF_OK;
    while (status == RF_OK && rf_properties_next(&properties, &property))
        status = set_gpu_property(load, &property, &gpu.gpu, &is_taken);
    return status == RF_OK ? keep_device(&load->cuda_places, &gpu) : status;
}

static int define_context(struct rf_load *load, uint32_t process, const struct rf_def *def)
{
    struct rf_gpu_context context = {.process = process,
                                     .device = (uint32_t)def->value,
                                     .context = def->index,
                                     .null_stream = def->detail,
                                     .tpc_mask = RF_NO_STRING,
                                     .name = RF_NO_STRING};
    return rf_gpu_places_add_context(&load->rec->places, &context);
}

static int define_stream(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         uint32_t text)
{
    struct rf_gpu_stream stream = {.process = process,
                                   .context = (uint32_t)def->value,
                                   .stream = def->index,
                                   .device = RF_NO_INDEX,
                                   .name = RF_NO_STRING};
    struct rf_properties properties = properties_of(load, text);
    struct rf_property property;
    int64_t number;
    while (rf_properties_next(&properties, &property)) {
        if (rf_property_is(&property, "priority") && rf_property_number(&property, &number) &&
            number >= INT32_MIN && number <= INT32_MAX) {
            stream.priority = (int32_t)number;
            stream.has_priority = 1;
        } else if (rf_property_is(&property, "flag")) {
            uint32_t flag = number_of(&property);
            stream.flag = flag <= UINT8_MAX ? (uint8_t)flag : 0;
        }
    }
    return rf_gpu_places_add_stream(&load->rec->places, &stream);
}

static int define_object(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         uint32_t text, int64_t ns)
{
    struct rf_cuda_places *places = &load->cuda_places;
    struct rf_cuda_object object = {
        process, rf_cuda_object_kind(def->detail), def->value, ns, def->index, RF_NO_INDEX};
    struct rf_properties properties = properties_of(load, text);
    struct rf_property property;
    while (rf_properties_next(&properties, &property))
        if (rf_property_is(&property, "context"))
            object.context = number_of(&property);
    if (rf_grow_array(&places->object, places->n_objects, &places->object_room, sizeof(object)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    places->object[places->n_objects++] = object;
    return RF_OK;
}

int rf_cuda_places_define(struct rf_load *load, uint32_t process, const struct rf_def *def,
                          uint32_t text, int64_t ns)
{
    switch (def->domain) {
    case RF_CUDA_DEF_DEVICE:
        return define_device(load, process, def, text);
    case RF_CUDA_DEF_CONTEXT:
        return define_context(load, process, def);
    case RF_CUDA_DEF_STREAM:
        return define_stream(load, process, def, text);
    case RF_CUDA_DEF_OBJECT:
        return define_object(load, process, def, text, ns);
    default:
        return RF_OK;
    }
}

void rf_cuda_places_release(struct rf_cuda_places *places)
{
    free(places->gpu);
    rf_map_release(&places->gpu_of);
    free(places->object);
    *places = (struct rf_cuda_places){.gpu = NULL};
}

/* ---- GPUs ---- */

static bool is_same_text(uint32_t a, uint32_t b)
{
    return a != RF_NO_STRING && a == b;
}

/* Processes can see one GPU under several numbers, and several GPUs under one. */
static bool is_same_gpu(const struct rf_gpu *a, const struct rf_gpu *b)
{
    if (a->uuid != RF_NO_STRING || b->uuid != RF_NO_STRING)
        return is_same_text(a->uuid, b->uuid);
    if (a->bus != RF_NO_STRING || b->bus != RF_NO_STRING)
        return is_same_text(a->bus, b->bus);
    return a->name == b->name && a->id == b->id;
}

static bool has_id(const rf_recording *rec, uint32_t id)
{
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (rec->gpu[i].id == id)
            return true;
    return false;
}

static int add_facts(struct rf_load *load, uint32_t text, struct rf_gpu *gpu)
{
    struct rf_properties properties = properties_of(load, text);
    struct rf_property property;
    bool is_taken;
    int status = RF_OK;
    while (status == RF_OK && rf_properties_next(&properties, &property)) {
        struct rf_gpu ignored = {.id = 0};
        struct rf_gpu_fact to = {.text = RF_NO_STRING};
        status = set_gpu_property(load, &property, &ignored, &is_taken);
        if (status != RF_OK || is_taken)
            continue;
        to.name = rf_strings_add(&load->rec->strings, property.name, property.name_size);
        if (!rf_property_number(&property, &to.number))
            status = add_text(load, &property, &to.text);
        if (status == RF_OK && to.name != RF_NO_STRING)
            status = rf_gpu_places_add_fact(&load->rec->places, gpu, &to);
    }
    return status;
}

/* The index of a GPU, which is added if it is new; RF_NO_INDEX: out of memory. The number that the
 * first process has for it is its own, or else the next one that is free. */
static uint32_t find_gpu(struct rf_load *load, const struct rf_cuda_gpu *from, size_t *room)
{
    rf_recording *rec = load->rec;
    struct rf_gpu gpu = from->gpu;
    gpu.id = from->device;
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (is_same_gpu(&rec->gpu[i], &gpu))
            return i;
    while (has_id(rec, gpu.id))
        gpu.id++;
    if (add_facts(load, from->text, &gpu) != RF_OK ||
        rf_grow_array(&rec->gpu, rec->n_gpus, room, sizeof(gpu)) != RF_OK)
        return RF_NO_INDEX;
    rec->gpu[rec->n_gpus] = gpu;
    return rec->n_gpus++;
}

/* A machine has few GPUs; a file that lists more than this is not of one. */
#define MAX_GPUS 256

static int make_gpus(struct rf_load *load)
{
    size_t room = 0;
    for (uint32_t i = 0; i < load->cuda_places.n_gpus; i++) {
        const struct rf_cuda_gpu *from = &load->cuda_places.gpu[i];
        struct rf_gpu_device device = {.process = from->process,
                                       .device = from->device,
                                       .gpu = RF_NO_INDEX,
                                       .uuid = from->gpu.uuid,
                                       .n_multiprocessors = from->gpu.n_multiprocessors,
                                       .name = RF_NO_STRING};
        if (load->rec->n_gpus < MAX_GPUS) {
            device.gpu = find_gpu(load, from, &room);
            if (device.gpu == RF_NO_INDEX)
                return RF_ERR_NO_MEMORY;
        }
        if (rf_gpu_places_add_device(&load->rec->places, &device) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return rf_gpu_places_finish(&load->rec->places);
}

/* ---- Everything ---- */

int rf_cuda_places_finish(struct rf_load *load)
{
    int status = make_gpus(load);
    return status == RF_OK ? rf_cuda_name_objects(load) : status;
}
