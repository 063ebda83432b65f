/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/extra.h"
#include "model/load/samples.h"
#include "model/strings.h"

/* ---- Memory in use ---- */

struct allocation {
    uint64_t bytes;
    uint32_t usage;
};

/* A counter while it is reckoned. */
struct usage {
    uint32_t process, device, kind;
    uint64_t bytes;
    int64_t *ns; /* NULL the first time round: samples are only counted */
    double *value;
    size_t n_samples;
    int64_t last_ns;
};

struct reckoning {
    rf_recording *rec;
    struct rf_map usage_of;      /* (process << 32 | device, kind) */
    struct rf_map allocation_of; /* (process, address) */
    struct usage *usage;
    uint32_t n_usages;
    size_t usage_room;
    struct allocation *allocation;
    uint32_t n_allocations;
    size_t allocation_room;
};

static uint32_t find_usage(struct reckoning *job, const struct rf_extra *extra, uint32_t kind)
{
    uint64_t place = (uint64_t)extra->process << 32 | extra->device;
    uint32_t i = rf_map_find(&job->usage_of, place, kind);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&job->usage, job->n_usages, &job->usage_room, sizeof(*job->usage)) != RF_OK ||
        rf_map_set(&job->usage_of, place, kind, job->n_usages) != RF_OK)
        return RF_NO_INDEX;
    job->usage[job->n_usages] =
        (struct usage){.process = extra->process, .device = extra->device, .kind = kind};
    return job->n_usages++;
}

/* A sample holds what was in use up to its time; of several at one time the first one knows. */
static void add_sample(struct usage *usage, int64_t ns)
{
    if (usage->n_samples > 0 && usage->last_ns == ns)
        return;
    if (usage->ns != NULL) {
        usage->ns[usage->n_samples] = ns;
        usage->value[usage->n_samples] = (double)usage->bytes;
    }
    usage->n_samples++;
    usage->last_ns = ns;
}

static int add_allocation(struct reckoning *job, const struct rf_extra *extra, uint64_t address,
                          uint64_t bytes, uint32_t kind)
{
    uint32_t usage = find_usage(job, extra, kind);
    uint32_t old = rf_map_find(&job->allocation_of, extra->process, address);
    if (usage == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    add_sample(&job->usage[usage], extra->start_ns);
    if (old != RF_MAP_NONE) { /* its release was not seen, or it is the place's second use */
        job->usage[job->allocation[old].usage].bytes -= job->allocation[old].bytes;
        job->allocation[old] = (struct allocation){bytes, usage};
    } else {
        if (rf_grow_array(&job->allocation, job->n_allocations, &job->allocation_room,
                          sizeof(*job->allocation)) != RF_OK ||
            rf_map_set(&job->allocation_of, extra->process, address, job->n_allocations) != RF_OK)
            return RF_ERR_NO_MEMORY;
        job->allocation[job->n_allocations++] = (struct allocation){bytes, usage};
    }
    job->usage[usage].bytes += bytes;
    return RF_OK;
}

/* What was allocated before the recording began is not known: its release changes nothing. */
static void release_allocation(struct reckoning *job, const struct rf_extra *extra,
                               uint64_t address)
{
    uint32_t i = rf_map_find(&job->allocation_of, extra->process, address);
    if (i == RF_MAP_NONE || job->allocation[i].bytes == 0)
        return;
    struct usage *usage = &job->usage[job->allocation[i].usage];
    add_sample(usage, extra->start_ns);
    usage->bytes -= job->allocation[i].bytes;
    job->allocation[i].bytes = 0;
}

static int reckon_all(struct reckoning *job)
{
    rf_recording *rec = job->rec;
    int64_t address, bytes, kind, operation;
    int status = RF_OK;
    for (size_t i = 0; i < rec->n_extras && status == RF_OK; i++) {
        const struct rf_extra *extra = &rec->extra[i];
        if (extra->kind != RF_EXTRA_MEMORY || extra->process == RF_NO_INDEX ||
            !rf_extra_value(rec, extra, RF_MEMORY_ADDRESS, &address) ||
            !rf_extra_value(rec, extra, RF_MEMORY_OPERATION, &operation))
            continue;
        (void)rf_extra_value(rec, extra, RF_MEMORY_BYTES, &bytes);
        (void)rf_extra_value(rec, extra, RF_MEMORY_KIND, &kind);
        if (operation == 0)
            status = add_allocation(job, extra, (uint64_t)address, bytes > 0 ? (uint64_t)bytes : 0,
                                    (uint32_t)kind);
        else
            release_allocation(job, extra, (uint64_t)address);
    }
    for (uint32_t i = 0; i < job->n_usages; i++)
        add_sample(&job->usage[i], job->usage[i].last_ns < rec->info.end_ns
                                       ? rec->info.end_ns
                                       : job->usage[i].last_ns + 1);
    return status;
}

/* ---- As counters ---- */

static uint32_t usage_name(rf_recording *rec, uint32_t kind)
{
    static const char *const kinds[] = {"Pageable", "Pinned",        "Device",        "Array",
                                        "Managed",  "Device static", "Managed static"};
    char name[64];
    const char *what = kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : "Other";
    int size = snprintf(name, sizeof(name), "%s memory in use [bytes]", what);
    return rf_strings_add(&rec->strings, name, (size_t)size);
}

static int grow_arrays(rf_recording *rec, uint32_t n_counters)
{
    size_t n = (size_t)rec->n_counters + n_counters;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    return counter != NULL && origin != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Columns for as many samples as were counted; all begins anew. */
static int make_columns(struct reckoning *job)
{
    size_t n = 0;
    for (uint32_t i = 0; i < job->n_usages; i++)
        n += job->usage[i].n_samples;
    int64_t *ns = malloc(n * (sizeof(int64_t) + sizeof(double)));
    if (ns == NULL)
        return RF_ERR_NO_MEMORY;
    double *value = (double *)(void *)(ns + n);
    job->rec->info.n_samples += n;
    int status = rf_samples_keep(job->rec, ns);
    for (uint32_t i = 0; i < job->n_usages; i++) {
        struct usage *usage = &job->usage[i];
        usage->ns = ns;
        usage->value = value;
        ns += usage->n_samples;
        value += usage->n_samples;
        usage->n_samples = 0;
        usage->bytes = 0;
    }
    for (uint32_t i = 0; i < job->n_allocations; i++)
        job->allocation[i].bytes = 0;
    return status;
}

static int make_counters(struct reckoning *job)
{
    rf_recording *rec = job->rec;
    int status = grow_arrays(rec, job->n_usages);
    if (status == RF_OK)
        status = make_columns(job);
    if (status == RF_OK)
        status = reckon_all(job);
    for (uint32_t i = 0; i < job->n_usages && status == RF_OK; i++) {
        const struct usage *usage = &job->usage[i];
        rec->counter_origin[rec->n_counters] = (struct rf_counter_origin){.metric = usage->kind};
        rec->counter[rec->n_counters] = (struct rf_counter){.name = usage_name(rec, usage->kind),
                                                            .set = RF_NO_STRING,
                                                            .device = usage->device,
                                                            .process = usage->process,
                                                            .ns = usage->ns,
                                                            .value = usage->value,
                                                            .n_samples = usage->n_samples,
                                                            .is_derived = 1};
        status = rec->counter[rec->n_counters++].name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
    }
    return status;
}

static int add_memory_counters(rf_recording *rec)
{
    struct reckoning job = {.rec = rec};
    int status = reckon_all(&job);
    if (status == RF_OK && job.n_usages > 0)
        status = make_counters(&job);
    rf_map_release(&job.usage_of);
    rf_map_release(&job.allocation_of);
    free(job.usage);
    free(job.allocation);
    return status;
}

/* ---- Order ---- */

struct pair {
    struct rf_counter counter;
    struct rf_counter_origin origin;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->counter.device != b->counter.device)
        return a->counter.device < b->counter.device ? -1 : 1;
    if (a->counter.process != b->counter.process)
        return a->counter.process < b->counter.process ? -1 : 1;
    if (a->origin.type != b->origin.type)
        return a->origin.type < b->origin.type ? -1 : 1;
    if (a->origin.metric != b->origin.metric)
        return a->origin.metric < b->origin.metric ? -1 : 1;
    return (int)a->origin.is_soc - (int)b->origin.is_soc;
}

int rf_recording_finish_counters(rf_recording *rec)
{
    int status = add_memory_counters(rec);
    struct pair *pair = calloc((size_t)rec->n_counters + 1, sizeof(*pair));
    if (pair == NULL)
        status = RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_counters && status == RF_OK; i++)
        pair[i] = (struct pair){rec->counter[i], rec->counter_origin[i]};
    if (status == RF_OK)
        qsort(pair, rec->n_counters, sizeof(*pair), compare_pairs);
    for (uint32_t i = 0; i < rec->n_counters && status == RF_OK; i++) {
        rec->counter[i] = pair[i].counter;
        rec->counter_origin[i] = pair[i].origin;
    }
    free(pair);
    return status;
}
