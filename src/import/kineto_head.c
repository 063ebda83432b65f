/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_head.h"

#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "import/kineto_places.h"
#include "model/ranks.h"

/* Calls take() with every member of an object; false: it is none, or out of memory. */
static bool for_members(struct kineto_load *load, const struct kineto_value *object, void *to,
                        bool (*take)(struct kineto_load *load, const struct kineto_value *key,
                                     const struct kineto_value *value, void *to))
{
    struct kineto_scan scan = {.at = object->at + 1, .end = object->at + object->size};
    struct kineto_value key, value;
    bool is_end = object->type != KINETO_NESTED || *object->at != '{' || kineto_peek(&scan) == '}';
    while (!is_end)
        if (!kineto_scan_key(&scan, &key) || !kineto_scan_value(&scan, &value) ||
            !kineto_scan_next(&scan, '}', &is_end) || !take(load, &key, &value, to))
            return false;
    return true;
}

static uint32_t string_of(struct kineto_load *load, const struct kineto_value *value)
{
    char plain[512];
    struct kineto_value cut = *value;
    if (value->type != KINETO_STRING || value->size == 0)
        return RF_NO_STRING;
    if (cut.size > sizeof(plain) / 2)
        cut.size = sizeof(plain) / 2;
    return rf_strings_add(&load->model.rec->strings, plain, kineto_unescape(&cut, plain));
}

/* ---- The job ---- */

static int64_t count_of(const struct kineto_value *value)
{
    int64_t number;
    return kineto_integer(value, &number) && number >= 0 && number <= INT32_MAX ? number : -1;
}

static bool take_distributed(struct kineto_load *load, const struct kineto_value *key,
                             const struct kineto_value *value, void *to)
{
    (void)to;
    if (kineto_is(key, "rank"))
        load->about.rank = count_of(value);
    else if (kineto_is(key, "world_size"))
        load->about.world_size = count_of(value);
    return true;
}

/* ---- GPUs ---- */

static bool take_property(struct kineto_load *load, const struct kineto_value *key,
                          const struct kineto_value *value, void *to)
{
    struct rf_gpu *gpu = to;
    int64_t number = 0;
    const bool is_number = kineto_integer(value, &number) && number >= 0;
    const struct {
        const char *name;
        uint32_t *to;
    } numbers[] = {{"id", &gpu->id},
                   {"computeMajor", &gpu->capability_major},
                   {"computeMinor", &gpu->capability_minor},
                   {"numSms", &gpu->n_multiprocessors}};
    if (kineto_is(key, "name"))
        gpu->name = string_of(load, value);
    else if (kineto_is(key, "totalGlobalMem") && is_number)
        gpu->memory_bytes = (uint64_t)number;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (is_number && number <= UINT32_MAX && kineto_is(key, numbers[i].name))
            *numbers[i].to = (uint32_t)number;
    return true;
}

#define MAX_GPUS 1024

static int take_gpus(struct kineto_load *load, const struct kineto_value *list)
{
    rf_recording *rec = load->model.rec;
    struct kineto_scan scan = {.at = list->at + 1, .end = list->at + list->size};
    struct kineto_value object;
    bool is_end = list->type != KINETO_NESTED || *list->at != '[' || kineto_peek(&scan) == ']';
    rec->n_gpus = 0; /* the last list stands */
    while (!is_end && rec->n_gpus < MAX_GPUS) {
        struct rf_gpu gpu = {.name = RF_NO_STRING,
                             .id = rec->n_gpus,
                             .chip = RF_NO_STRING,
                             .uuid = RF_NO_STRING,
                             .bus = RF_NO_STRING};
        if (!kineto_scan_value(&scan, &object) || !kineto_scan_next(&scan, ']', &is_end))
            return RF_OK;
        (void)for_members(load, &object, &gpu, take_property);
        if (rf_grow_array(&rec->gpu, rec->n_gpus, &load->model.gpu_room, sizeof(gpu)) != RF_OK)
            return nsys_no_memory(&load->model);
        rec->gpu[rec->n_gpus++] = gpu;
    }
    return RF_OK;
}

/* ---- Members ---- */

void kineto_head_init(struct kineto_about *about)
{
    *about = (struct kineto_about){.rank = -1, .world_size = -1, .product = RF_NO_STRING};
}

static void take_exporter(struct kineto_load *load, const struct kineto_value *value)
{
    load->about.product = string_of(load, value);
}

/* Where our own layout says who wrote it. */
static bool take_other_data(struct kineto_load *load, const struct kineto_value *key,
                            const struct kineto_value *value, void *to)
{
    static const char own[] = "Rangefinder ";
    (void)to;
    if (kineto_is(key, "exported_by") && value->type == KINETO_STRING) {
        take_exporter(load, value);
        load->about.is_own = value->size > strlen(own) && memcmp(value->at, own, strlen(own)) == 0;
    }
    return true;
}

int kineto_take_member(struct kineto_load *load, const struct kineto_value *key,
                       const struct kineto_value *value)
{
    struct kineto_about *about = &load->about;
    if (kineto_is(key, "schemaVersion"))
        about->is_kineto = true;
    else if (kineto_is(key, "baseTimeNanoseconds"))
        about->has_base = kineto_integer(value, &about->base_ns);
    else if (kineto_is(key, "exported_by"))
        take_exporter(load, value);
    else if (kineto_is(key, "otherData"))
        (void)for_members(load, value, NULL, take_other_data);
    else if (kineto_is(key, "distributedInfo"))
        (void)for_members(load, value, NULL, take_distributed);
    else if (kineto_is(key, "deviceProperties"))
        return take_gpus(load, value);
    return RF_OK;
}

/* ---- The session ---- */

#define YEAR_2001_NS ((int64_t)1000000000 * 1000000000)

/* Before there was baseTimeNanoseconds, times were those of Unix. Where times are small and there
 * is no base, it is not known when that was. */
static int64_t epoch_of(const struct kineto_load *load)
{
    int64_t ns;
    if (!load->about.has_base)
        return load->first_ns > YEAR_2001_NS ? load->first_ns : 0;
    return __builtin_add_overflow(load->about.base_ns, load->first_ns, &ns) ? 0 : ns;
}

void kineto_set_session(struct kineto_load *load)
{
    rf_recording *rec = load->model.rec;
    struct rf_control *control = &rec->control;
    const char *product = rf_string(rec, load->about.product, NULL);
    if (product == NULL)
        product = load->about.is_kineto ? "PyTorch (Kineto)" : "a writer of Chrome traces";
    (void)snprintf(control->product, sizeof(control->product), "%s", product);
    (void)snprintf(control->host, sizeof(control->host), "%s", RF_UNKNOWN_HOST);
    rec->info.epoch_utc_ns = epoch_of(load);
}

/* ---- Processes ---- */

static uint32_t gpu_of(const rf_recording *rec, uint32_t device)
{
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (rec->gpu[i].id == device)
            return i;
    return RF_NO_INDEX;
}

static int add_device(struct kineto_load *load, const struct rf_gpu_track *track)
{
    rf_recording *rec = load->model.rec;
    const uint32_t gpu = gpu_of(rec, track->device);
    const struct rf_gpu_device device = {
        .process = track->process,
        .device = track->device,
        .gpu = gpu,
        .uuid = RF_NO_STRING,
        .n_multiprocessors = gpu != RF_NO_INDEX ? rec->gpu[gpu].n_multiprocessors : 0,
        .name = RF_NO_STRING};
    if (gpu == RF_NO_INDEX)
        return RF_OK;
    return nsys_memory_status(&load->model,
                              rf_gpu_places_add_device(&rec->places, &device) == RF_OK);
}

int kineto_set_processes(struct kineto_load *load)
{
    rf_recording *rec = load->model.rec;
    int status = RF_OK;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        rec->process[i].rank = (int32_t)load->about.rank;
        rec->process[i].world_size = (int32_t)load->about.world_size;
    }
    rf_agree_on_rank(rec);
    for (uint32_t i = 0; i < rec->n_tracks && status == RF_OK; i++)
        if (i == 0 || rec->track[i].device != rec->track[i - 1].device ||
            rec->track[i].process != rec->track[i - 1].process)
            status = add_device(load, &rec->track[i]);
    if (status == RF_OK && rf_gpu_places_finish(&rec->places) != RF_OK)
        status = nsys_no_memory(&load->model);
    return status;
}
