/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda_places.h"

#include <stdlib.h>
#include <string.h>

#include "log/cuda.h"
#include "model/extra.h"
#include "model/facts.h"
#include "model/model.h"

static struct rf_facts facts_of(const struct rf_load *load, uint32_t text)
{
    size_t size = 0;
    const char *bytes = rf_string(load->rec, text, &size);
    return (struct rf_facts){bytes, bytes != NULL ? bytes + size : NULL};
}

/* A number of 32 bits; 0: it is none. */
static uint32_t number_of(const struct rf_fact *fact)
{
    int64_t number;
    return rf_fact_number(fact, &number) && number >= 0 && number <= UINT32_MAX ? (uint32_t)number
                                                                                : 0;
}

/* ---- Definitions ---- */

static int take_text(struct rf_load *load, const struct rf_fact *fact, uint32_t *string)
{
    *string = rf_strings_add(&load->rec->strings, fact->value, fact->value_size);
    return *string != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

/* "9.0". */
static void take_capability(const struct rf_fact *fact, struct rf_gpu *gpu)
{
    const char *point = memchr(fact->value, '.', fact->value_size);
    size_t size = point != NULL ? (size_t)(point - fact->value) : fact->value_size;
    struct rf_fact major = {.value = fact->value, .value_size = size};
    struct rf_fact minor = {.value = fact->value, .value_size = 0};
    if (point != NULL)
        minor = (struct rf_fact){.value = point + 1, .value_size = fact->value_size - size - 1};
    gpu->capability_major = number_of(&major);
    gpu->capability_minor = number_of(&minor);
}

/* Those that struct rf_gpu has a field for. *is_taken: whether it is one. */
static int take_gpu_fact(struct rf_load *load, const struct rf_fact *fact, struct rf_gpu *gpu,
                         int *is_taken)
{
    int64_t number;
    *is_taken = 1;
    if (rf_fact_is(fact, "name"))
        return take_text(load, fact, &gpu->name);
    if (rf_fact_is(fact, "chipName"))
        return take_text(load, fact, &gpu->chip);
    if (rf_fact_is(fact, "uuid"))
        return take_text(load, fact, &gpu->uuid);
    if (rf_fact_is(fact, "pci"))
        return take_text(load, fact, &gpu->bus);
    if (rf_fact_is(fact, "memory"))
        gpu->memory_bytes = rf_fact_number(fact, &number) && number > 0 ? (uint64_t)number : 0;
    else if (rf_fact_is(fact, "multiprocessors"))
        gpu->n_multiprocessors = number_of(fact);
    else if (rf_fact_is(fact, "capability"))
        take_capability(fact, gpu);
    else
        *is_taken = 0;
    return RF_OK;
}

static int keep_device(struct rf_cuda_places *places, const struct rf_cuda_gpu *gpu)
{
    uint32_t i = rf_map_find(&places->gpu_of, gpu->process, gpu->device);
    if (i == RF_MAP_NONE) {
        i = places->n_gpus;
        if (rf_grow(&places->gpu, i, &places->gpu_room, sizeof(*gpu)) != RF_OK ||
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
    struct rf_facts facts = facts_of(load, text);
    struct rf_fact fact;
    int is_taken, status = RF_OK;
    while (status == RF_OK && rf_facts_next(&facts, &fact))
        status = take_gpu_fact(load, &fact, &gpu.gpu, &is_taken);
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
    struct rf_facts facts = facts_of(load, text);
    struct rf_fact fact;
    int64_t number;
    while (rf_facts_next(&facts, &fact)) {
        if (rf_fact_is(&fact, "priority") && rf_fact_number(&fact, &number) &&
            number >= INT32_MIN && number <= INT32_MAX) {
            stream.priority = (int32_t)number;
            stream.has_priority = 1;
        } else if (rf_fact_is(&fact, "flag")) {
            uint32_t flag = number_of(&fact);
            stream.flag = flag <= UINT8_MAX ? (uint8_t)flag : 0;
        }
    }
    return rf_gpu_places_add_stream(&load->rec->places, &stream);
}

/* nvtxNameCuStream and nvtxNameCudaStream name the same objects; of events and devices likewise. */
static uint32_t same_kind(uint32_t kind)
{
    switch (kind) {
    case RF_OBJECT_CU_DEVICE:
        return RF_OBJECT_CUDA_DEVICE;
    case RF_OBJECT_CU_STREAM:
        return RF_OBJECT_CUDA_STREAM;
    case RF_OBJECT_CU_EVENT:
        return RF_OBJECT_CUDA_EVENT;
    default:
        return kind;
    }
}

static int define_object(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         uint32_t text, int64_t ns)
{
    struct rf_cuda_places *places = &load->cuda_places;
    struct rf_cuda_object object = {process,    same_kind(def->detail), def->value, ns, def->index,
                                    RF_NO_INDEX};
    struct rf_facts facts = facts_of(load, text);
    struct rf_fact fact;
    while (rf_facts_next(&facts, &fact))
        if (rf_fact_is(&fact, "context"))
            object.context = number_of(&fact);
    if (rf_grow(&places->object, places->n_objects, &places->object_room, sizeof(object)) != RF_OK)
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

static int is_same_text(uint32_t a, uint32_t b)
{
    return a != RF_NO_STRING && a == b;
}

/* Processes can see one GPU under several numbers, and several GPUs under one. */
static int is_same_gpu(const struct rf_gpu *a, const struct rf_gpu *b)
{
    if (a->uuid != RF_NO_STRING || b->uuid != RF_NO_STRING)
        return is_same_text(a->uuid, b->uuid);
    if (a->bus != RF_NO_STRING || b->bus != RF_NO_STRING)
        return is_same_text(a->bus, b->bus);
    return a->name == b->name && a->id == b->id;
}

static int has_id(const rf_recording *rec, uint32_t id)
{
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (rec->gpu[i].id == id)
            return 1;
    return 0;
}

static int add_facts(struct rf_load *load, uint32_t text, struct rf_gpu *gpu)
{
    struct rf_facts facts = facts_of(load, text);
    struct rf_fact fact;
    int is_taken, status = RF_OK;
    while (status == RF_OK && rf_facts_next(&facts, &fact)) {
        struct rf_gpu ignored = {.id = 0};
        struct rf_gpu_fact to = {.text = RF_NO_STRING};
        status = take_gpu_fact(load, &fact, &ignored, &is_taken);
        if (status != RF_OK || is_taken)
            continue;
        to.name = rf_strings_add(&load->rec->strings, fact.name, fact.name_size);
        if (!rf_fact_number(&fact, &to.number))
            status = take_text(load, &fact, &to.text);
        if (status == RF_OK && to.name != RF_NO_STRING)
            status = rf_gpu_places_add_fact(&load->rec->places, gpu, &to);
    }
    return status;
}

/* The index of a GPU, which is added if it is new; RF_NO_INDEX: out of memory. The number that the
 * first process has for it is its own, or else the next one that is free. */
static uint32_t find_gpu(struct rf_load *load, const struct rf_cuda_gpu *from, uint32_t *room)
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
        rf_grow(&rec->gpu, rec->n_gpus, room, sizeof(gpu)) != RF_OK)
        return RF_NO_INDEX;
    rec->gpu[rec->n_gpus] = gpu;
    return rec->n_gpus++;
}

/* A machine has few GPUs; a file that lists more than this is not of one. */
#define MAX_GPUS 256

static int make_gpus(struct rf_load *load)
{
    uint32_t room = 0;
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

/* ---- Names ---- */

static int compare_objects(const void *left, const void *right)
{
    const struct rf_cuda_object *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->handle != b->handle)
        return a->handle < b->handle ? -1 : 1;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static int is_object(const struct rf_cuda_object *object, const struct rf_load_naming *naming)
{
    return object->process == naming->process &&
           object->kind == same_kind(naming->event.category) &&
           object->handle == naming->event.payload;
}

/* What a handle meant when it was named: the last thing that was known of it then, or else the
 * first one after. NULL: nothing is known. */
static const struct rf_cuda_object *find_object(const struct rf_cuda_places *places,
                                                const struct rf_load_naming *naming)
{
    const struct rf_cuda_object key = {.process = naming->process,
                                       .kind = same_kind(naming->event.category),
                                       .handle = naming->event.payload,
                                       .ns = naming->event.start_ns};
    uint32_t low = 0, high = places->n_objects;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_objects(&places->object[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && is_object(&places->object[low - 1], naming))
        return &places->object[low - 1];
    return low < places->n_objects && is_object(&places->object[low], naming) ? &places->object[low]
                                                                              : NULL;
}

/* Where namings find what they name, whatever the file lists how often. */
struct namer {
    struct rf_load *load;
    struct rf_map context; /* (process, id) to the index of a whole context */
    struct rf_map only;    /* process to its only whole context, or SEVERAL */
    struct rf_map stream;  /* (process, id) to the index of the only stream with it, or SEVERAL */
    struct rf_map event;   /* (process, id) to the name */
};
#define SEVERAL (RF_MAP_NONE - 1)

static int list_contexts(struct namer *namer)
{
    const struct rf_gpu_places *places = &namer->load->rec->places;
    int status = RF_OK;
    for (uint32_t i = 0; i < places->n_contexts && status == RF_OK; i++) {
        const struct rf_gpu_context *context = &places->context[i];
        if (context->green_context != 0)
            continue;
        int is_first = rf_map_find(&namer->only, context->process, 0) == RF_MAP_NONE;
        status = rf_map_set(&namer->only, context->process, 0, is_first ? i : SEVERAL);
        if (status == RF_OK)
            status = rf_map_set(&namer->context, context->process, context->context, i);
    }
    return status;
}

static int list_streams(struct namer *namer)
{
    const struct rf_gpu_places *places = &namer->load->rec->places;
    int status = RF_OK;
    for (uint32_t i = 0; i < places->n_streams && status == RF_OK; i++) {
        const struct rf_gpu_stream *stream = &places->stream[i];
        uint32_t known = rf_map_find(&namer->stream, stream->process, stream->stream);
        status = rf_map_set(&namer->stream, stream->process, stream->stream,
                            known == RF_MAP_NONE ? i : SEVERAL);
    }
    return status;
}

/* The handles of default streams: NULL and cudaStreamLegacy. They are of the context that was
 * current, which is known where there is only one. */
#define LEGACY_STREAM 1

static void name_default_stream(struct namer *namer, const struct rf_load_naming *naming)
{
    struct rf_gpu_places *places = &namer->load->rec->places;
    uint32_t i = rf_map_find(&namer->only, naming->process, 0);
    if (i < places->n_contexts)
        rf_gpu_places_name_stream(places, naming->process, places->context[i].context,
                                  places->context[i].null_stream, naming->event.name);
}

/* Its context may not be known: then the id alone has to say which one it is. */
static void name_stream(struct namer *namer, const struct rf_cuda_object *object, uint32_t name)
{
    struct rf_gpu_places *places = &namer->load->rec->places;
    uint32_t i = rf_map_find(&namer->stream, object->process, object->id);
    if (object->context != RF_NO_INDEX)
        rf_gpu_places_name_stream(places, object->process, object->context, object->id, name);
    else if (i < places->n_streams)
        places->stream[i].name = name;
}

static int name_object(struct namer *namer, const struct rf_cuda_object *object, uint32_t name)
{
    struct rf_gpu_places *places = &namer->load->rec->places;
    if (object->kind == RF_OBJECT_CUDA_DEVICE)
        rf_gpu_places_name_device(places, object->process, object->id, name);
    if (object->kind == RF_OBJECT_CU_CONTEXT) {
        uint32_t i = rf_map_find(&namer->context, object->process, object->id);
        if (i < places->n_contexts)
            places->context[i].name = name;
    }
    if (object->kind == RF_OBJECT_CUDA_STREAM)
        name_stream(namer, object, name);
    if (object->kind == RF_OBJECT_CUDA_EVENT && name != RF_NO_STRING)
        return rf_map_set(&namer->event, object->process, object->id, name);
    return RF_OK;
}

static int apply_name(struct namer *namer, const struct rf_load_naming *naming)
{
    uint32_t kind = same_kind(naming->event.category);
    uint64_t handle = naming->event.payload;
    const struct rf_cuda_object *object = find_object(&namer->load->cuda_places, naming);
    if (object != NULL)
        return name_object(namer, object, naming->event.name);
    if (kind == RF_OBJECT_CUDA_DEVICE && handle <= UINT32_MAX)
        rf_gpu_places_name_device(&namer->load->rec->places, naming->process, (uint32_t)handle,
                                  naming->event.name);
    if (kind == RF_OBJECT_CUDA_STREAM && handle <= LEGACY_STREAM)
        name_default_stream(namer, naming);
    return RF_OK;
}

static int compare_namings(const void *left, const void *right)
{
    const struct rf_load_naming *a = *(const struct rf_load_naming *const *)left;
    const struct rf_load_naming *b = *(const struct rf_load_naming *const *)right;
    if (a->event.start_ns != b->event.start_ns)
        return a->event.start_ns < b->event.start_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* By time: the last name that something got holds. */
static int apply_names(struct namer *namer)
{
    const struct rf_load *load = namer->load;
    const struct rf_load_naming **order = calloc((size_t)load->n_namings + 1, sizeof(*order));
    uint32_t n = 0;
    int status = order != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->n_namings && order != NULL; i++)
        if (load->naming[i].event.kind == RF_EVENT_OBJECT_NAME)
            order[n++] = &load->naming[i];
    if (n > 0)
        qsort(order, n, sizeof(*order), compare_namings);
    for (uint32_t i = 0; i < n && status == RF_OK; i++)
        status = apply_name(namer, order[i]);
    free(order);
    return status;
}

static void name_events(struct namer *namer)
{
    rf_recording *rec = namer->load->rec;
    for (size_t i = 0; i < rec->n_extras && namer->event.n > 0; i++) {
        struct rf_extra *extra = &rec->extra[i];
        int64_t id;
        if (extra->kind != RF_EXTRA_CUDA_EVENT ||
            rf_extra_value(rec, extra, RF_CUDA_EVENT_ID, &id) != RF_VALUE_NUMBER)
            continue;
        uint32_t name = rf_map_find(&namer->event, extra->process, (uint64_t)id);
        if (name != RF_MAP_NONE)
            extra->name = name;
    }
}

int rf_cuda_places_finish(struct rf_load *load)
{
    struct rf_cuda_places *places = &load->cuda_places;
    struct namer namer = {.load = load};
    int status = make_gpus(load);
    if (places->n_objects > 0)
        qsort(places->object, places->n_objects, sizeof(*places->object), compare_objects);
    if (status == RF_OK)
        status = list_contexts(&namer);
    if (status == RF_OK)
        status = list_streams(&namer);
    if (status == RF_OK)
        status = apply_names(&namer);
    if (status == RF_OK)
        name_events(&namer);
    rf_map_release(&namer.context);
    rf_map_release(&namer.only);
    rf_map_release(&namer.stream);
    rf_map_release(&namer.event);
    return status;
}
