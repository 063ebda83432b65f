/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/kineto_places.h"
#include "import/nsys_calls.h"
#include "model/gpu/demangle.h"

/* The end of a call or a piece of work. */
static int64_t end_of(struct kineto_load *load, const struct kineto_item *item)
{
    if ((item->flags & KINETO_NEGATIVE) != 0)
        kineto_skip(load, item, "negative duration: taken as empty");
    else if ((item->flags & KINETO_HAS_END) == 0)
        kineto_skip(load, item, "no duration: taken as empty");
    else if (item->end_ns >= KINETO_LAST_NS)
        kineto_skip(load, item, "ends at no possible time: taken as empty");
    else
        return item->end_ns;
    return item->start_ns;
}

/* ---- Calls ---- */

/* The ids of several processes of one file are told apart by their upper halves. */
static void see_space(struct kineto_pid *pid, uint64_t correlation)
{
    if (correlation != 0 && pid->space == RF_NO_INDEX)
        pid->space = (uint32_t)(correlation >> 32);
}

static uint8_t kind_of_call(uint8_t role)
{
    return role == KINETO_RUNTIME  ? RF_CALL_CUDA_RUNTIME
           : role == KINETO_DRIVER ? RF_CALL_CUDA_DRIVER
                                   : RF_CALL_OS;
}

int kineto_take_call(struct kineto_load *load, const struct kineto_item *item,
                     const struct kineto_work *work)
{
    const struct rf_call call = {.start_ns = item->start_ns,
                                 .end_ns = end_of(load, item),
                                 .name = kineto_string(load, &item->name),
                                 .correlation = (uint32_t)work->correlation,
                                 .first_op = RF_NO_INDEX,
                                 .result = work->result,
                                 .event_class = item->role == KINETO_OS ? RF_OS_CALL_CLASS : 0,
                                 .kind = kind_of_call(item->role)};
    const uint32_t tid = kineto_find_tid(load, item);
    const uint32_t thread = tid != RF_NO_INDEX ? kineto_thread(load, tid) : RF_NO_INDEX;
    if (thread == RF_NO_INDEX || (item->name.at != NULL && call.name == RF_NO_STRING))
        return nsys_no_memory(&load->model);
    see_space(&load->pid[load->tid[tid].pid], work->correlation);
    kineto_see_time(load, call.start_ns);
    kineto_see_time(load, call.end_ns);
    return nsys_add_call(&load->model, thread, &call);
}

/* ---- GPU work ---- */

/* The string of a kernel's short name; name: that of its whole one. */
static uint32_t short_name_of(struct kineto_load *load, uint32_t name)
{
    rf_recording *rec = load->model.rec;
    if (name >= load->n_short_names) {
        const uint32_t n = rec->strings.n + rec->strings.n / 2 + 64;
        uint32_t *more = realloc(load->short_name, n * sizeof(*more));
        if (more == NULL)
            return RF_NO_STRING;
        memset(more + load->n_short_names, 0xff, (n - load->n_short_names) * sizeof(*more));
        load->short_name = more;
        load->n_short_names = n;
    }
    if (load->short_name[name] == RF_NO_STRING) {
        size_t size, length;
        const char *text = rf_string(rec, name, &length);
        text = rf_short_name(text, length, &size);
        load->short_name[name] = rf_strings_add(&rec->strings, text, size);
    }
    return load->short_name[name];
}

static uint8_t kind_of(uint8_t role)
{
    return role == KINETO_KERNEL   ? RF_OP_KERNEL
           : role == KINETO_MEMCPY ? RF_OP_MEMCPY
           : role == KINETO_MEMSET ? RF_OP_MEMSET
           : role == KINETO_GRAPH  ? RF_OP_GRAPH
                                   : RF_OP_SYNC;
}

static int name_kernel(struct kineto_load *load, const struct kineto_item *item,
                       struct kineto_work *work, struct rf_gpu_op *op)
{
    const bool has_both = item->name.at != NULL && work->full_name.at != NULL;
    const struct kineto_text *full = has_both ? &work->full_name : &item->name;
    work->kernel.demangled = kineto_string(load, full);
    work->kernel.mangled = RF_NO_STRING;
    if (item->name.at == NULL)
        return RF_OK;
    if (has_both)
        op->name = kineto_string(load, &item->name);
    else if (work->kernel.demangled != RF_NO_STRING)
        op->name = short_name_of(load, work->kernel.demangled);
    if (work->kernel.demangled == RF_NO_STRING)
        op->name = RF_NO_STRING;
    return nsys_memory_status(&load->model, op->name != RF_NO_STRING);
}

/* Most waits are for no event, and have no detail. A graph has one where it ended on another GPU,
 * and another number in its place. */
static int add_detail(struct kineto_load *load, struct kineto_work *work, struct rf_gpu_op *op)
{
    if (op->kind == RF_OP_GRAPH)
        op->detail = work->graph_exec;
    if ((load->model.db.flags & RF_OPEN_NO_DETAILS) != 0 || op->kind == RF_OP_GRAPH ||
        (op->kind == RF_OP_SYNC && work->wait.event == UINT32_MAX))
        return RF_OK;
    op->detail = rf_op_details_add(&load->model.details, op->kind, &work->kernel);
    return nsys_memory_status(&load->model, op->detail != RF_NO_INDEX);
}

static int add_op(struct kineto_load *load, const struct rf_gpu_op *op,
                  const struct kineto_place *place)
{
    rf_recording *rec = load->model.rec;
    if (rf_grow_array(&rec->op, rec->n_ops, &load->model.op_room, sizeof(*rec->op)) != RF_OK ||
        rf_grow_array(&load->place, rec->n_ops, &load->place_room, sizeof(*load->place)) != RF_OK)
        return nsys_no_memory(&load->model);
    load->place[rec->n_ops] = *place;
    rec->op[rec->n_ops++] = *op;
    return RF_OK;
}

/* Where work ran that does not name it: the number of its pid or tid. */
static uint32_t place_of(struct kineto_load *load, const struct kineto_item *item,
                         const struct kineto_id *id)
{
    if (id->text.at == NULL && !kineto_fits(id->number))
        kineto_skip(load, item, "pid or tid that is no device or stream: taken as 0");
    return kineto_id_number(id);
}

int kineto_take_work(struct kineto_load *load, const struct kineto_item *item,
                     struct kineto_work *work)
{
    struct rf_gpu_op op;
    memset(&op, 0, sizeof(op));
    op.start_ns = item->start_ns;
    op.end_ns = end_of(load, item);
    op.name = RF_NO_STRING;
    op.correlation = (uint32_t)work->correlation;
    op.thread = op.call = op.next_op = op.detail = RF_NO_INDEX;
    op.graph = work->graph;
    op.kind = kind_of(item->role);
    op.sync_type = work->sync_type;
    const struct kineto_place place = {
        .correlation = work->correlation,
        .pid = item->pid.number,
        .device = work->has_device ? work->device : place_of(load, item, &item->pid),
        .context = work->context,
        .stream = work->has_stream ? work->stream : place_of(load, item, &item->tid)};
    int status = op.kind == RF_OP_KERNEL ? name_kernel(load, item, work, &op) : RF_OK;
    if (status == RF_OK)
        status = add_detail(load, work, &op);
    if (op.kind != RF_OP_SYNC) { /* waits of other work may go on for ever */
        kineto_see_time(load, op.start_ns);
        kineto_see_time(load, op.end_ns);
    }
    return status == RF_OK ? add_op(load, &op, &place) : status;
}

/* ---- Overhead ---- */

/* What CUPTI says of the time that it takes itself. */
int kineto_take_overhead(struct kineto_load *load, const struct kineto_item *item)
{
    rf_recording *rec = load->model.rec;
    const struct rf_extra extra = {.start_ns = item->start_ns,
                                   .end_ns = end_of(load, item),
                                   .name = kineto_string(load, &item->name),
                                   .process = RF_NO_INDEX,
                                   .thread = RF_NO_INDEX,
                                   .device = RF_NO_INDEX,
                                   .context = RF_NO_INDEX,
                                   .stream = RF_NO_INDEX,
                                   .kind = RF_EXTRA_OVERHEAD};
    if ((item->name.at != NULL && extra.name == RF_NO_STRING) ||
        rf_grow_array(&rec->extra, rec->n_extras, &load->model.extra_room, sizeof(extra)) != RF_OK)
        return nsys_no_memory(&load->model);
    rec->extra[rec->n_extras++] = extra;
    return RF_OK;
}

/* ---- Links ---- */

#define SEVERAL_PIDS (RF_MAP_NONE - 1)

/* The pid whose calls have ids of this space: its index; RF_MAP_NONE: none, or SEVERAL_PIDS. */
static int index_spaces(struct kineto_load *load)
{
    for (uint32_t i = 0; i < load->n_pids; i++) {
        const struct kineto_pid *pid = &load->pid[i];
        if (pid->process == RF_NO_INDEX || pid->space == RF_NO_INDEX)
            continue;
        const bool is_new = rf_map_find(&load->pid_of_space, pid->space, 0) == RF_MAP_NONE;
        if (rf_map_set(&load->pid_of_space, pid->space, 0, is_new ? i : SEVERAL_PIDS) != RF_OK)
            return nsys_no_memory(&load->model);
    }
    return RF_OK;
}

/* What work belongs to whose call is not there: the process with calls, or the first one. */
static int any_process(struct kineto_load *load, uint32_t *process)
{
    const struct kineto_id none = {.is_there = false};
    for (uint32_t i = 0; i < load->n_pids; i++)
        if (load->pid[i].process != RF_NO_INDEX && load->pid[i].space != RF_NO_INDEX) {
            *process = load->pid[i].process;
            return RF_OK;
        }
    *process = 0;
    if (load->model.n_processes > 0)
        return RF_OK;
    const uint32_t pid = kineto_find_pid(load, &none);
    *process = pid != RF_NO_INDEX ? kineto_process(load, pid) : RF_NO_INDEX;
    return nsys_memory_status(&load->model, *process != RF_NO_INDEX);
}

/* Our own layout shows GPU work in its process; in Kineto's, pids of work are numbers of devices.
 */
static int process_of_pid(struct kineto_load *load, int64_t number, uint32_t *process)
{
    const struct kineto_id id = {.number = number, .is_there = true};
    const uint32_t pid = kineto_find_pid(load, &id);
    *process = pid != RF_NO_INDEX ? kineto_process(load, pid) : RF_NO_INDEX;
    return nsys_memory_status(&load->model, *process != RF_NO_INDEX);
}

/* *is_several: calls of more than one process have the number, and which is meant is not known. */
static int find_process(struct kineto_load *load, const struct kineto_place *place, uint32_t any,
                        uint32_t *process, bool *is_several)
{
    *is_several = false;
    if (load->about.is_own)
        return process_of_pid(load, place->pid, process);
    const uint32_t pid = rf_map_find(&load->pid_of_space, place->correlation >> 32, 0);
    *process = pid < SEVERAL_PIDS ? load->pid[pid].process : any;
    if (pid != SEVERAL_PIDS)
        return RF_OK;
    int status = nsys_only_process(&load->model, (uint32_t)place->correlation, process, is_several);
    if (*process == RF_NO_INDEX)
        *process = any;
    return status;
}

/* *n_several: one more where the call of a piece of work is not known. */
static int link_op(struct kineto_load *load, size_t i, uint32_t any, uint64_t *n_several)
{
    struct nsys_load *model = &load->model;
    struct rf_gpu_op *op = &model->rec->op[i];
    const struct kineto_place *place = &load->place[i];
    struct rf_gpu_track track = {
        .device = place->device, .context = place->context, .stream = place->stream};
    uint32_t thread, call;
    bool is_several;
    int status = find_process(load, place, any, &track.process, &is_several);
    if (status != RF_OK)
        return status;
    op->track = rf_find_track(&model->tracks, model->rec, &track);
    if (op->track == RF_NO_INDEX)
        return nsys_no_memory(model);
    *n_several += is_several;
    if (!is_several &&
        rf_call_index_find(&model->call_of, track.process, op->correlation, &thread, &call)) {
        op->thread = thread;
        op->call = call;
    }
    return RF_OK;
}

int kineto_link_work(struct kineto_load *load)
{
    uint64_t n_twice, n_several = 0;
    uint32_t any = 0;
    int status = load->model.rec->n_ops > 0 ? any_process(load, &any) : RF_OK;
    if (status == RF_OK)
        status = nsys_index_calls(&load->model, &n_twice);
    if (status == RF_OK)
        status = index_spaces(load);
    if (status == RF_OK && n_twice > 0)
        nsys_db_skip(&load->model.db, "correlation",
                     "number of another call too: GPU work is linked to the first", n_twice);
    for (size_t i = 0; i < load->model.rec->n_ops && status == RF_OK; i++)
        status = link_op(load, i, any, &n_several);
    if (status == RF_OK && n_several > 0)
        nsys_db_skip(&load->model.db, "correlation",
                     "number of calls of several processes: GPU work is not linked", n_several);
    return status;
}
