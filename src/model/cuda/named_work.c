/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/named_work.h"

#include <stdlib.h>

#include "model/collectives/collectives.h"
#include "model/collectives/torch_collectives.h"
#include "model/load/load.h"
#include "model/sums/range_sums.h"
#include "model/sums/work_sums.h"

int rf_named_work_begin(struct rf_load *load)
{
    load->rec->named_work = calloc(1, sizeof(*load->rec->named_work));
    load->rec->collectives = calloc(1, sizeof(*load->rec->collectives));
    load->needs_work |= rf_torch_collective_name(load->rec) != RF_NO_STRING;
    return load->rec->named_work != NULL && load->rec->collectives != NULL ? RF_OK
                                                                           : RF_ERR_NO_MEMORY;
}

/* A time as a number that grows with it, and is not 0. */
static uint64_t as_number(int64_t ns)
{
    return (uint64_t)ns ^ (uint64_t)1 << 63;
}

static int add(struct rf_load *load, enum rf_work_kind kind, uint32_t name,
               const struct rf_sum_place *place)
{
    struct rf_sums *sums = load->rec->named_work;
    const struct rf_sum_key key = {place->owner.process, name, kind, 0};
    const struct rf_sum_first first = {.number = as_number(place->start_ns)};
    const uint32_t i = rf_sums_index(sums, &key);
    if (i == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    struct rf_sum *sum = &sums->sum[i];
    if (rf_sum_is_first(&first, &sum->first))
        sum->first = first;
    return rf_sums_add_at(sums, i, place) ? RF_OK : RF_ERR_NO_MEMORY;
}

static struct rf_sum_owner owner_of(const struct rf_load *load, const struct rf_held_call *call)
{
    const struct rf_load_thread *thread = call != NULL ? load->thread[call->thread] : NULL;
    return thread != NULL ? (struct rf_sum_owner){thread->process, thread->tid, thread->serial}
                          : (struct rf_sum_owner){.process = RF_NO_INDEX};
}

int rf_named_work_add_call(struct rf_load *load, const struct rf_held_call *call)
{
    const struct rf_sum_place place = {(uint64_t)call->end_ns - (uint64_t)call->start_ns,
                                       call->start_ns, owner_of(load, call)};
    return add(load, RF_WORK_CALL, call->name, &place);
}

/* A kernel that is a collective. track: as load->rec has it by now. */
static int add_collective(struct rf_load *load, const struct rf_held_work *work,
                          const struct rf_held_call *call, uint32_t name)
{
    const struct rf_gpu_track *track = &load->rec->track[work->track];
    const struct rf_streamed_collective item = {
        .start_ns = work->start_ns,
        .end_ns = work->end_ns,
        .rank = -1,
        .name = name,
        .process = track->process,
        .thread = call != NULL ? load->thread[call->thread]->place : RF_NO_INDEX,
        .track = work->track,
        .kind = RF_COLLECTIVE_NCCL_KERNEL};
    return rf_streamed_collectives_add(load->rec->collectives, &item);
}

int rf_named_work_add(struct rf_load *load, const struct rf_held_work *work,
                      const struct rf_held_call *call)
{
    const bool is_copy = work->kind == RF_OP_MEMCPY;
    struct rf_sum_place place = {(uint64_t)work->end_ns - (uint64_t)work->start_ns, work->start_ns,
                                 owner_of(load, call)};
    if (work->kind == RF_OP_KERNEL) {
        const struct rf_cuda_name *name = &load->cuda.names.name[work->name];
        if (rf_collective_is(load->rec, RF_COLLECTIVE_NCCL_KERNEL, name->short_name) &&
            add_collective(load, work, call, name->short_name) != RF_OK)
            return RF_ERR_NO_MEMORY;
        return add(load, RF_WORK_KERNEL, rf_cuda_name_label(name), &place);
    }
    if (!is_copy && work->kind != RF_OP_MEMSET)
        return RF_OK;
    const uint32_t name = is_copy ? work->name : 0;
    int status = add(load, is_copy ? RF_WORK_COPY : RF_WORK_SET, name, &place);
    place.duration_ns = work->bytes;
    return status == RF_OK
               ? add(load, is_copy ? RF_WORK_COPY_BYTES : RF_WORK_SET_BYTES, name, &place)
               : status;
}
