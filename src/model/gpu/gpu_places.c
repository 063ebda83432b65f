/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/gpu_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/recording.h"

/* Devices, contexts and streams begin with the words that tell them apart. */
#define DEVICE_KEY  2
#define CONTEXT_KEY 4
#define STREAM_KEY  3

_Static_assert(offsetof(struct rf_gpu_device, gpu) == DEVICE_KEY * 4, "the key comes first");
_Static_assert(offsetof(struct rf_gpu_context, null_stream) == CONTEXT_KEY * 4, "as above");
_Static_assert(offsetof(struct rf_gpu_stream, device) == STREAM_KEY * 4, "as above");

static int compare_words(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* ---- Adding ---- */

int rf_gpu_places_add_device(struct rf_gpu_places *places, const struct rf_gpu_device *device)
{
    if (rf_grow_array(&places->device, places->n_devices, &places->device_room, sizeof(*device)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    places->device[places->n_devices++] = *device;
    return RF_OK;
}

int rf_gpu_places_add_context(struct rf_gpu_places *places, const struct rf_gpu_context *context)
{
    if (rf_grow_array(&places->context, places->n_contexts, &places->context_room,
                      sizeof(*context)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    places->context[places->n_contexts++] = *context;
    return RF_OK;
}

int rf_gpu_places_add_stream(struct rf_gpu_places *places, const struct rf_gpu_stream *stream)
{
    if (rf_grow_array(&places->stream, places->n_streams, &places->stream_room, sizeof(*stream)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    places->stream[places->n_streams++] = *stream;
    return RF_OK;
}

int rf_gpu_places_add_fact(struct rf_gpu_places *places, struct rf_gpu *gpu,
                           const struct rf_gpu_fact *fact)
{
    if (rf_grow_array(&places->fact, places->n_facts, &places->fact_room, sizeof(*fact)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (gpu->n_facts == 0)
        gpu->first_fact = places->n_facts;
    gpu->n_facts++;
    places->fact[places->n_facts++] = *fact;
    return RF_OK;
}

/* ---- Order ---- */

struct sorting {
    const char *record;
    size_t size, n_key;
};

static const uint32_t *key_at(const struct sorting *sorting, uint32_t i)
{
    return (const uint32_t *)(const void *)(sorting->record + i * sorting->size);
}

static int compare_records(const void *left, const void *right, void *context)
{
    const struct sorting *sorting = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_words(key_at(sorting, a), key_at(sorting, b), sorting->n_key);
    return order != 0 ? order : a < b ? -1 : a > b;
}

/* Of two with one key the first one is dropped; its name stays where the other has none. */
static void keep_name(char *dropped, char *kept, size_t name)
{
    uint32_t string;
    memcpy(&string, kept + name, sizeof(string));
    if (string == RF_NO_STRING)
        memcpy(kept + name, dropped + name, sizeof(string));
}

/* name: the offset of the field in a record. */
static int sort_records(void *array, uint32_t *n, size_t size, size_t n_key, size_t name)
{
    char *records;
    if (*n == 0)
        return RF_OK;
    memcpy(&records, array, sizeof(records));
    struct sorting sorting = {records, size, n_key};
    uint32_t *order = malloc(*n * sizeof(*order)), n_kept = 0;
    char *sorted = malloc(*n * size);
    if (order == NULL || sorted == NULL) {
        free(order);
        free(sorted);
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < *n; i++)
        order[i] = i;
    qsort_r(order, *n, sizeof(*order), compare_records, &sorting);
    for (uint32_t i = 0; i < *n; i++) {
        const uint32_t *key = key_at(&sorting, order[i]);
        if (i + 1 < *n && compare_words(key, key_at(&sorting, order[i + 1]), n_key) == 0)
            keep_name(records + order[i] * size, records + order[i + 1] * size, name);
        else
            memcpy(sorted + n_kept++ * size, key, size);
    }
    free(order);
    free(records);
    memcpy(array, &sorted, sizeof(sorted));
    *n = n_kept;
    return RF_OK;
}

/* The devices of streams are those of their contexts. */
static int find_devices(struct rf_gpu_places *places)
{
    struct rf_map device = {0}; /* (process, context) to the index of a context */
    int status = RF_OK;
    for (uint32_t i = 0; i < places->n_contexts && status == RF_OK && places->n_streams > 0; i++)
        status = rf_map_set(&device, places->context[i].process, places->context[i].context, i);
    for (uint32_t i = 0; i < places->n_streams && status == RF_OK; i++) {
        struct rf_gpu_stream *stream = &places->stream[i];
        uint32_t context = rf_map_find(&device, stream->process, stream->context);
        stream->device = context != RF_MAP_NONE ? places->context[context].device : RF_NO_INDEX;
    }
    rf_map_release(&device);
    return status;
}

int rf_gpu_places_finish(struct rf_gpu_places *places)
{
    int status = sort_records(&places->device, &places->n_devices, sizeof(*places->device),
                              DEVICE_KEY, offsetof(struct rf_gpu_device, name));
    if (status == RF_OK)
        status = sort_records(&places->context, &places->n_contexts, sizeof(*places->context),
                              CONTEXT_KEY, offsetof(struct rf_gpu_context, name));
    if (status == RF_OK)
        status = sort_records(&places->stream, &places->n_streams, sizeof(*places->stream),
                              STREAM_KEY, offsetof(struct rf_gpu_stream, name));
    places->device_room = places->n_devices;
    places->context_room = places->n_contexts;
    places->stream_room = places->n_streams;
    return status == RF_OK ? find_devices(places) : status;
}

void rf_gpu_places_release(struct rf_gpu_places *places)
{
    free(places->device);
    free(places->context);
    free(places->stream);
    free(places->fact);
    *places = (struct rf_gpu_places){.device = NULL};
}

/* ---- Finding ---- */

static const void *find(const void *records, uint32_t n, size_t size, const uint32_t *key,
                        size_t n_key)
{
    struct sorting sorting = {records, size, n_key};
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_words(key_at(&sorting, middle), key, n_key);
        if (order == 0)
            return key_at(&sorting, middle);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct rf_gpu_device *rf_gpu_device_of(const rf_recording *rec, uint32_t process,
                                             uint32_t device)
{
    const uint32_t key[DEVICE_KEY] = {process, device};
    if (rec == NULL)
        return NULL;
    return find(rec->places.device, rec->places.n_devices, sizeof(*rec->places.device), key,
                DEVICE_KEY);
}

const struct rf_gpu *rf_gpu_of(const rf_recording *rec, uint32_t process, uint32_t device)
{
    const struct rf_gpu_device *known = rf_gpu_device_of(rec, process, device);
    if (known != NULL && known->gpu < rec->n_gpus)
        return &rec->gpu[known->gpu];
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        if (rec->gpu[i].id == device)
            return &rec->gpu[i];
    return NULL;
}

const struct rf_gpu_context *rf_gpu_context_of(const rf_recording *rec,
                                               const struct rf_gpu_track *track)
{
    if (rec == NULL || track == NULL)
        return NULL;
    const uint32_t key[CONTEXT_KEY] = {track->process, track->device, track->context,
                                       track->green_context};
    return find(rec->places.context, rec->places.n_contexts, sizeof(*rec->places.context), key,
                CONTEXT_KEY);
}

const struct rf_gpu_stream *rf_gpu_stream_of(const rf_recording *rec,
                                             const struct rf_gpu_track *track)
{
    if (rec == NULL || track == NULL)
        return NULL;
    const uint32_t key[STREAM_KEY] = {track->process, track->context, track->stream};
    return find(rec->places.stream, rec->places.n_streams, sizeof(*rec->places.stream), key,
                STREAM_KEY);
}

/* ---- Names ---- */

void rf_gpu_places_name_device(struct rf_gpu_places *places, uint32_t process, uint32_t device,
                               uint32_t name)
{
    const uint32_t key[DEVICE_KEY] = {process, device};
    const struct rf_gpu_device *found =
        find(places->device, places->n_devices, sizeof(*places->device), key, DEVICE_KEY);
    if (found != NULL)
        places->device[found - places->device].name = name;
}

void rf_gpu_places_name_stream(struct rf_gpu_places *places, uint32_t process, uint32_t context,
                               uint32_t stream, uint32_t name)
{
    const uint32_t key[STREAM_KEY] = {process, context, stream};
    const struct rf_gpu_stream *found =
        find(places->stream, places->n_streams, sizeof(*places->stream), key, STREAM_KEY);
    if (found != NULL)
        places->stream[found - places->stream].name = name;
}

/* ---- What a recording hands out ---- */

const struct rf_gpu_fact *rf_gpu_fact_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->places.n_facts ? &rec->places.fact[i] : NULL;
}

uint32_t rf_n_gpu_devices(const rf_recording *rec)
{
    return rec != NULL ? rec->places.n_devices : 0;
}

const struct rf_gpu_device *rf_gpu_device_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->places.n_devices ? &rec->places.device[i] : NULL;
}

uint32_t rf_n_gpu_contexts(const rf_recording *rec)
{
    return rec != NULL ? rec->places.n_contexts : 0;
}

const struct rf_gpu_context *rf_gpu_context_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->places.n_contexts ? &rec->places.context[i] : NULL;
}

uint32_t rf_n_gpu_streams(const rf_recording *rec)
{
    return rec != NULL ? rec->places.n_streams : 0;
}

const struct rf_gpu_stream *rf_gpu_stream_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->places.n_streams ? &rec->places.stream[i] : NULL;
}
