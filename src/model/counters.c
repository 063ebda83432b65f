/* SPDX-License-Identifier: Apache-2.0 */
#include "model/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/extra.h"

/* ---- Memory in use ---- */

struct allocation {
    uint64_t bytes;
    uint32_t usage;
};

/* A counter while it is reckoned. */
struct usage {
    uint32_t process, device, kind;
    uint64_t bytes;
    size_t n_samples, first_sample;
    int64_t last_ns;
};

struct reckoning {
    rf_recording *rec;
    struct rf_map usage_of;      /* (process << 32 | device, kind) */
    struct rf_map allocation_of; /* (process, address) */
    struct usage *usage;
    uint32_t n_usages, usage_room;
    struct allocation *allocation;
    uint32_t n_allocations, allocation_room;
    int is_counting; /* the first time round, samples are only counted */
};

static uint32_t find_usage(struct reckoning *job, const struct rf_extra *extra, uint32_t kind)
{
    uint64_t place = (uint64_t)extra->process << 32 | extra->device;
    uint32_t i = rf_map_find(&job->usage_of, place, kind);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow(&job->usage, job->n_usages, &job->usage_room, sizeof(*job->usage)) != RF_OK ||
        rf_map_set(&job->usage_of, place, kind, job->n_usages) != RF_OK)
        return RF_NO_INDEX;
    job->usage[job->n_usages] =
        (struct usage){.process = extra->process, .device = extra->device, .kind = kind};
    return job->n_usages++;
}

/* A sample holds what was in use up to its time; of several at one time the first one knows. */
static void add_sample(struct reckoning *job, struct usage *usage, int64_t ns)
{
    if (usage->n_samples > 0 && usage->last_ns == ns)
        return;
    if (!job->is_counting)
        job->rec->sample[usage->first_sample + usage->n_samples] =
            (struct rf_counter_sample){ns, (double)usage->bytes};
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
    add_sample(job, &job->usage[usage], extra->start_ns);
    if (old != RF_MAP_NONE) { /* its release was not seen, or it is the place's second use */
        job->usage[job->allocation[old].usage].bytes -= job->allocation[old].bytes;
        job->allocation[old] = (struct allocation){bytes, usage};
    } else {
        if (rf_grow(&job->allocation, job->n_allocations, &job->allocation_room,
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
    add_sample(job, usage, extra->start_ns);
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
        add_sample(job, &job->usage[i],
                   job->usage[i].last_ns < rec->info.end_ns ? rec->info.end_ns
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

static int grow_arrays(rf_recording *rec, uint32_t n_counters, size_t n_samples)
{
    size_t n = (size_t)rec->n_counters + n_counters;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    struct rf_counter_sample *sample =
        realloc(rec->sample, (rec->n_samples + n_samples) * sizeof(*sample));
    if (sample != NULL)
        rec->sample = sample;
    return counter != NULL && origin != NULL && sample != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int make_counters(struct reckoning *job)
{
    rf_recording *rec = job->rec;
    size_t n_samples = 0;
    for (uint32_t i = 0; i < job->n_usages; i++) {
        job->usage[i].first_sample = rec->n_samples + n_samples;
        n_samples += job->usage[i].n_samples;
        job->usage[i].n_samples = 0;
        job->usage[i].bytes = 0;
    }
    if (grow_arrays(rec, job->n_usages, n_samples) != RF_OK)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < job->n_allocations; i++)
        job->allocation[i].bytes = 0;
    job->is_counting = 0;
    int status = reckon_all(job);
    for (uint32_t i = 0; i < job->n_usages && status == RF_OK; i++) {
        const struct usage *usage = &job->usage[i];
        rec->counter_origin[rec->n_counters] = (struct rf_counter_origin){.metric = usage->kind};
        rec->counter[rec->n_counters] = (struct rf_counter){.name = usage_name(rec, usage->kind),
                                                            .set = RF_NO_STRING,
                                                            .device = usage->device,
                                                            .process = usage->process,
                                                            .first_sample = usage->first_sample,
                                                            .n_samples = usage->n_samples,
                                                            .is_derived = 1};
        status = rec->counter[rec->n_counters++].name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
    }
    rec->n_samples += n_samples;
    return status;
}

static int add_memory_counters(rf_recording *rec)
{
    struct reckoning job = {.rec = rec, .is_counting = 1};
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
