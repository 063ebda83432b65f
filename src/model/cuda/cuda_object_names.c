/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the program gave with NVTX to devices, contexts, streams and events of CUDA. */
#include "model/cuda/cuda_object_names.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "model/extra.h"
#include "model/gpu/gpu_places.h"
#include "model/load/load.h"

uint32_t rf_cuda_object_kind(uint32_t kind)
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

static bool is_object(const struct rf_cuda_object *object, const struct rf_load_naming *naming)
{
    return object->process == naming->process &&
           object->kind == rf_cuda_object_kind(naming->event.object_kind) &&
           object->handle == naming->event.handle;
}

/* What a handle meant when it was named: the last thing that was known of it then, or else the
 * first one after. NULL: nothing is known. */
static const struct rf_cuda_object *find_object(const struct rf_cuda_places *places,
                                                const struct rf_load_naming *naming)
{
    const struct rf_cuda_object key = {.process = naming->process,
                                       .kind = rf_cuda_object_kind(naming->event.object_kind),
                                       .handle = naming->event.handle,
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
        bool is_first = rf_map_find(&namer->only, context->process, 0) == RF_MAP_NONE;
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
    uint32_t kind = rf_cuda_object_kind(naming->event.object_kind);
    uint64_t handle = naming->event.handle;
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

int rf_cuda_name_objects(struct rf_load *load)
{
    struct rf_cuda_places *places = &load->cuda_places;
    struct namer namer = {.load = load};
    if (places->n_objects > 0)
        qsort(places->object, places->n_objects, sizeof(*places->object), compare_objects);
    int status = list_contexts(&namer);
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
