/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_sums.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_read.h"
#include "model/cuda/select_cuda.h"
#include "model/filter/activities.h"
#include "model/filter/filter_windows.h"
#include "model/filter/selected.h"
#include "model/load/load.h"
#include "model/load/timeline.h"

#define MOST_GPUS 64u /* that are selected; of more it is not known if they are there */

/* ---- While records are read ---- */

int rf_cuda_sums_begin(struct rf_load *load)
{
    load->rec->work_sums = calloc(1, sizeof(*load->rec->work_sums));
    int status = load->rec->work_sums != NULL
                     ? rf_cuda_make_clocks(&load->cuda.clock, load->log.n_processes)
                     : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->rec->n_processes && status == RF_OK; i++)
        status = rf_cuda_clock_finish(&load->cuda.clock[i], &load->rec->control, load->timeline.hz);
    return status;
}

/* The clocks of a worker: each notes which line it found last. */
static int copy_clocks(struct rf_cuda_sums *s, const struct rf_load *load)
{
    const size_t n = load->rec->n_processes;
    s->clock = malloc((n + 1) * sizeof(*s->clock));
    if (s->clock == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(s->clock, load->cuda.clock, n * sizeof(*s->clock));
    return RF_OK;
}

static int64_t to_ns(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                     uint64_t cupti_ns)
{
    return rf_timeline_ns(&load->timeline, &s->line, rf_cuda_ticks(&s->clock[process], cupti_ns));
}

/* The times that cuda_records.c gives it: without one of them, and backwards, it has no duration.
 */
struct span {
    int64_t start_ns, end_ns;
};

static struct span span_of(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                           const union rf_cuda_record *c, const struct rf_record *r)
{
    const uint64_t start = c->api.start, end = c->api.end; /* of all kinds in one place */
    struct span span = {.start_ns = start != 0
                                        ? to_ns(s, load, process, start)
                                        : rf_timeline_ns(&load->timeline, &s->line, r->ticks)};
    span.end_ns = end != 0 ? to_ns(s, load, process, end) : span.start_ns;
    if (start == 0 && end != 0)
        span.start_ns = span.end_ns;
    if (span.end_ns < span.start_ns)
        span.end_ns = span.start_ns;
    return span;
}

/* What a record is, of those that are added up. */
static const enum rf_work_kind kinds[] = {[RF_CUDA_API] = RF_WORK_CALL,
                                          [RF_CUDA_KERNEL] = RF_WORK_KERNEL,
                                          [RF_CUDA_MEMCPY] = RF_WORK_COPY,
                                          [RF_CUDA_MEMSET] = RF_WORK_SET};

static uint32_t device_of(const union rf_cuda_record *c)
{
    switch (c->head.kind) {
    case RF_CUDA_KERNEL:
        return c->kernel.device;
    case RF_CUDA_MEMCPY:
        return c->memcpy.device;
    case RF_CUDA_MEMSET:
        return c->memset.device;
    default:
        return RF_NO_INDEX;
    }
}

/* Whether the filter keeps work of this GPU. */
static bool has_gpu(struct rf_cuda_sums *s, const struct rf_filter *filter, uint32_t device)
{
    bool has = filter->gpu == NULL || device == RF_NO_INDEX;
    for (size_t i = 0; i < filter->n_gpus && i < MOST_GPUS && device != RF_NO_INDEX; i++) {
        if (filter->gpu[i] != device)
            continue;
        s->met_gpus |= 1ULL << i;
        has = true;
    }
    return has;
}

/* Whether the filter keeps a call or a piece of work. */
static bool is_selected(const struct rf_load *load, uint32_t process, const union rf_cuda_record *c,
                        struct span span)
{
    static const unsigned activities[] = {
        [RF_CUDA_KERNEL] = RF_ACTIVITY_OF_WORK(RF_OP_KERNEL),
        [RF_CUDA_MEMCPY] = RF_ACTIVITY_OF_WORK(RF_OP_MEMCPY),
        [RF_CUDA_MEMSET] = RF_ACTIVITY_OF_WORK(RF_OP_MEMSET),
    };
    const struct rf_filter *filter = &load->selection.filter;
    unsigned activity = activities[c->head.kind];
    if (c->head.kind == RF_CUDA_API)
        activity =
            c->api.function & RF_CUDA_DRIVER_FUNCTION ? RF_ACTIVITY_DRIVER : RF_ACTIVITY_RUNTIME;
    return (filter->keeps_process == NULL || filter->keeps_process[process]) &&
           (filter->activities & activity) != 0 &&
           rf_filter_has_time(filter, span.start_ns, span.end_ns);
}

uint32_t rf_cuda_sums_shape(struct rf_work_sums *sums, const struct rf_cuda_kernel *kernel)
{
    struct rf_work_shape shape;
    memcpy(shape.grid, kernel->grid, sizeof(shape.grid));
    memcpy(shape.block, kernel->block, sizeof(shape.block));
    return rf_work_sums_shape(sums, &shape);
}

static bool add_call(struct rf_cuda_sums *s, uint32_t process, const struct rf_cuda_api *api,
                     uint64_t ns)
{
    const struct rf_work_key key = {
        .kind = RF_WORK_CALL, .process = process, .name = api->function};
    return rf_work_sums_add(&s->sums, &key, ns);
}

static bool add_kernel(struct rf_cuda_sums *s, uint32_t process,
                       const struct rf_cuda_kernel *kernel, uint64_t ns)
{
    const struct rf_work_key key = {.kind = RF_WORK_KERNEL,
                                    .process = process,
                                    .name = kernel->name,
                                    .shape = rf_cuda_sums_shape(&s->sums, kernel)};
    return key.shape != UINT32_MAX && rf_work_sums_add(&s->sums, &key, ns);
}

static bool add_one(struct rf_cuda_sums *s, uint32_t process, const union rf_cuda_record *c,
                    uint64_t ns)
{
    switch (c->head.kind) {
    case RF_CUDA_API:
        return add_call(s, process, &c->api, ns);
    case RF_CUDA_KERNEL:
        return add_kernel(s, process, &c->kernel, ns);
    case RF_CUDA_MEMCPY:
        return rf_work_sums_add_transfer(&s->sums, true, c->memcpy.copy_kind, ns, c->memcpy.bytes);
    default:
        return rf_work_sums_add_transfer(&s->sums, false, 0, ns, c->memset.bytes);
    }
}

/* A call, kernel, copy or set. */
static int add_timed(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                     const union rf_cuda_record *c, const struct rf_record *r)
{
    const struct span span = span_of(s, load, process, c, r);
    const uint64_t ns = (uint64_t)span.end_ns - (uint64_t)span.start_ns;
    s->sums.n_ops += c->head.kind != RF_CUDA_API;
    s->sums.met |= 1u << kinds[c->head.kind];
    s->has_timeless |= load->selection.filter.has_windows && c->api.start == 0 && c->api.end == 0 &&
                       c->head.kind != RF_CUDA_API;
    const bool is_of_gpu = has_gpu(s, &load->selection.filter, device_of(c));
    if (load->selection.of != NULL && (!is_of_gpu || !is_selected(load, process, c, span)))
        return RF_OK;
    return add_one(s, process, c, ns) ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_cuda_sums_add(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                     const struct rf_record *r)
{
    union rf_cuda_record c;
    if (!rf_cuda_read_record(&c, r))
        return RF_OK;
    if (s->clock == NULL && copy_clocks(s, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    switch (c.head.kind) {
    case RF_CUDA_API:
    case RF_CUDA_KERNEL:
    case RF_CUDA_MEMCPY:
    case RF_CUDA_MEMSET:
        return add_timed(s, load, process, &c, r);
    case RF_CUDA_SYNC:
    case RF_CUDA_GRAPH:
        s->sums.n_ops++;
        return RF_OK;
    case RF_CUDA_DROPPED:
        s->n_dropped += c.dropped.n;
        return RF_OK;
    default:
        return RF_OK;
    }
}

void rf_cuda_sums_finish(struct rf_load *load)
{
    const uint64_t met = load->rec->work_sums->met_gpus;
    const struct rf_filter *filter = &load->selection.filter;
    if (load->selection.of == NULL || filter->gpu == NULL)
        return;
    const uint64_t all = filter->n_gpus < MOST_GPUS ? (1ULL << filter->n_gpus) - 1 : UINT64_MAX;
    load->rec->selected->has_gpus = true;
    load->selection.has_failed |= met != all || filter->n_gpus > MOST_GPUS;
}

void rf_cuda_sums_release(struct rf_cuda_sums *s)
{
    free(s->clock);
    rf_work_sums_release(&s->sums);
}

/* ---- When they were ---- */

struct rf_work_sum *rf_cuda_sums_of_kernel(struct rf_work_sums *sums,
                                           const struct rf_cuda_name *name, uint32_t shape)
{
    const struct rf_work_key key = {
        .kind = RF_WORK_KERNEL, .name = name->short_name, .mangled = name->mangled, .shape = shape};
    struct rf_work_sum *sum = shape != UINT32_MAX ? rf_work_sums_find(sums, &key) : NULL;
    if (sum != NULL)
        sum->demangled = name->demangled;
    return sum;
}

static int merge(struct rf_work_sum *to, const struct rf_work_sum *from)
{
    return to != NULL && rf_value_counts_merge(&to->values, &from->values) ? RF_OK
                                                                           : RF_ERR_NO_MEMORY;
}

static int join_call(struct rf_load *load, const struct rf_work_sum *from)
{
    const struct rf_work_key key = {
        .kind = RF_WORK_CALL,
        .name = rf_cuda_function_name(&load->cuda.names, &load->rec->strings, from->key.process,
                                      from->key.name)};
    return key.name != RF_NO_STRING ? merge(rf_work_sums_find(load->rec->work_sums, &key), from)
                                    : RF_ERR_NO_MEMORY;
}

static int join_kernel(struct rf_load *load, const struct rf_work_shape *shape,
                       const struct rf_work_sum *from)
{
    struct rf_work_sums *sums = load->rec->work_sums;
    const struct rf_cuda_name *name =
        rf_cuda_names_of(&load->cuda.names, &load->rec->strings, from->key.process, from->key.name);
    if (name == NULL)
        return RF_ERR_NO_MEMORY;
    if (!rf_select_kernel(load, name->short_name, name->demangled))
        return RF_OK;
    return merge(rf_cuda_sums_of_kernel(sums, name, rf_work_sums_shape(sums, shape)), from);
}

static int join_sum(struct rf_load *load, const struct rf_cuda_sums *s,
                    const struct rf_work_sum *from)
{
    switch (from->key.kind) {
    case RF_WORK_CALL:
        return join_call(load, from);
    case RF_WORK_KERNEL:
        return join_kernel(load, &s->sums.shape[from->key.shape], from);
    default:
        return merge(rf_work_sums_find(load->rec->work_sums, &from->key), from);
    }
}

int rf_cuda_sums_join(struct rf_load *load, const struct rf_cuda_sums *s)
{
    int status = RF_OK;
    for (size_t i = 0; i < s->sums.n && status == RF_OK; i++)
        status = join_sum(load, s, &s->sums.sum[i]);
    if (load->rec->work_sums != NULL) {
        load->rec->work_sums->n_ops += s->sums.n_ops;
        load->rec->work_sums->met |= s->sums.met;
        load->rec->work_sums->met_gpus |= s->met_gpus;
    }
    load->rec->info.n_cuda_dropped += s->n_dropped;
    load->selection.has_failed |= s->has_timeless;
    load->cuda.names.n_undefined = 0; /* it counts lookups, which were not of each record */
    return status;
}
