/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_sums.h"

#include <stdlib.h>
#include <string.h>

#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_read.h"
#include "model/load/load.h"
#include "model/load/timeline.h"

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

/* As cuda_records.c has the times: without one of them, and backwards, it is none. */
static uint64_t duration(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                         uint64_t start, uint64_t end)
{
    if (start == 0 || end == 0)
        return 0;
    const int64_t start_ns = to_ns(s, load, process, start);
    const int64_t end_ns = to_ns(s, load, process, end);
    return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
}

static int add_to(struct rf_cuda_sums *s, const struct rf_work_key *key, uint64_t value)
{
    struct rf_work_sum *sum = rf_work_sums_find(&s->sums, key);
    return sum != NULL && rf_value_counts_add(&sum->values, value, 1) ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add(struct rf_cuda_sums *s, enum rf_work_kind kind, uint32_t process, uint32_t name,
               uint64_t value)
{
    return add_to(s, &(struct rf_work_key){.kind = kind, .process = process, .name = name}, value);
}

static int add_kernel(struct rf_cuda_sums *s, uint32_t process, const struct rf_cuda_kernel *kernel,
                      uint64_t ns)
{
    struct rf_work_shape shape;
    memcpy(shape.grid, kernel->grid, sizeof(shape.grid));
    memcpy(shape.block, kernel->block, sizeof(shape.block));
    const struct rf_work_key key = {.kind = RF_WORK_KERNEL,
                                    .process = process,
                                    .name = kernel->name,
                                    .shape = rf_work_sums_shape(&s->sums, &shape)};
    s->sums.n_ops++;
    return key.shape != UINT32_MAX ? add_to(s, &key, ns) : RF_ERR_NO_MEMORY;
}

/* bytes: the sums of their sizes. */
static int add_transfer(struct rf_cuda_sums *s, enum rf_work_kind kind, enum rf_work_kind bytes,
                        uint32_t name, uint64_t ns, uint64_t n_bytes)
{
    s->sums.n_ops++;
    return add(s, kind, 0, name, ns) == RF_OK ? add(s, bytes, 0, name, n_bytes) : RF_ERR_NO_MEMORY;
}

int rf_cuda_sums_add(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                     const struct rf_record *r)
{
    union rf_cuda_record c;
    if (!rf_cuda_read_record(&c, r))
        return RF_OK;
    if (s->clock == NULL && copy_clocks(s, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    const uint64_t ns = c.head.kind <= RF_CUDA_MEMSET /* their times are in one place */
                            ? duration(s, load, process, c.api.start, c.api.end)
                            : 0;
    switch (c.head.kind) {
    case RF_CUDA_API:
        return add(s, RF_WORK_CALL, process, c.api.function, ns);
    case RF_CUDA_KERNEL:
        return add_kernel(s, process, &c.kernel, ns);
    case RF_CUDA_MEMCPY:
        return add_transfer(s, RF_WORK_COPY, RF_WORK_COPY_BYTES, c.memcpy.copy_kind, ns,
                            c.memcpy.bytes);
    case RF_CUDA_MEMSET:
        return add_transfer(s, RF_WORK_SET, RF_WORK_SET_BYTES, 0, ns, c.memset.bytes);
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

void rf_cuda_sums_release(struct rf_cuda_sums *s)
{
    free(s->clock);
    rf_work_sums_release(&s->sums);
}

/* ---- When they were ---- */

static int name_call(struct rf_load *load, struct rf_work_key *key)
{
    key->name =
        rf_cuda_function_name(&load->cuda.names, &load->rec->strings, key->process, key->name);
    key->process = 0;
    return key->name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

static int name_kernel(struct rf_load *load, const struct rf_work_shape *shape,
                       struct rf_work_key *key, uint32_t *demangled)
{
    const struct rf_cuda_name *name =
        rf_cuda_names_of(&load->cuda.names, &load->rec->strings, key->process, key->name);
    if (name == NULL)
        return RF_ERR_NO_MEMORY;
    *key = (struct rf_work_key){.kind = key->kind,
                                .name = name->short_name,
                                .mangled = name->mangled,
                                .shape = rf_work_sums_shape(load->rec->work_sums, shape)};
    *demangled = name->demangled;
    return key->shape != UINT32_MAX ? RF_OK : RF_ERR_NO_MEMORY;
}

static int join_sum(struct rf_load *load, const struct rf_cuda_sums *s,
                    const struct rf_work_sum *from)
{
    struct rf_work_key key = from->key;
    uint32_t demangled = 0;
    int status = key.kind == RF_WORK_CALL ? name_call(load, &key)
                 : key.kind == RF_WORK_KERNEL
                     ? name_kernel(load, &s->sums.shape[key.shape], &key, &demangled)
                     : RF_OK;
    struct rf_work_sum *to = status == RF_OK ? rf_work_sums_find(load->rec->work_sums, &key) : NULL;
    if (to == NULL)
        return RF_ERR_NO_MEMORY;
    to->demangled = demangled;
    return rf_value_counts_merge(&to->values, &from->values) ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_cuda_sums_join(struct rf_load *load, const struct rf_cuda_sums *s)
{
    int status = RF_OK;
    for (size_t i = 0; i < s->sums.n && status == RF_OK; i++)
        status = join_sum(load, s, &s->sums.sum[i]);
    if (load->rec->work_sums != NULL)
        load->rec->work_sums->n_ops += s->sums.n_ops;
    load->rec->info.n_cuda_dropped += s->n_dropped;
    load->cuda.names.n_undefined = 0; /* it counts lookups, which were not of each record */
    return status;
}
