/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, GPU work and kernels. */
#include "shared_recording.h"
#include "kind.h"
#include "model/fields/fields.h"
#include "model/fields/gpu_names.h"
#include "row.h"
#include "with_python.h"

#define FLAGS_DOC                                                                                  \
    "int: what its times are not, enum rf_time_flags of gpu_work.h: 1 no start, 2 no end, "        \
    "4 the end lay before the start, 8 it begins before its call; 0: they are right."

/* ---- Calls ---- */

static bool run_of_calls(const struct recording *recording, uint32_t i, struct run *run)
{
    run->base = rf_thread_calls(recording->rec, i, &run->n);
    return i < rf_n_threads(recording->rec);
}

#define CALL(member) FIELD(struct rf_call, member)

/* Columns with a name alone are of rf_call_fields. */
static const struct column call_columns[] = {
    {"kind", WORD, CALL(kind), .word = rf_call_kind_name,
     .doc = "str: 'cuda_runtime', 'cuda_driver' or 'osrt'."},
    {"start_ns", TIME, CALL(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, CALL(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, CALL(start_ns), .get = get_duration, .doc = "int: nanoseconds."},
    {.name = "name"},
    {.name = "correlation"},
    {.name = "result"},
    {"flags", NUMBER, CALL(flags), .doc = FLAGS_DOC},
    {"pid", NUMBER, PROCESS(pid), .of = process_of_run,
     .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, THREAD(tid), .of = thread_of_run,
     .doc = "int: the thread as the system numbers it."},
    {"process", INDEX, THREAD(process), .of = thread_of_run, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_run, .refers = THREADS,
     .doc = "Thread. As a column: its index in Recording.threads."},
    {.name = NULL}};

static PyObject *op_object(const struct recording *recording, uint32_t index)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(recording->rec, &n);
    if (index >= n)
        Py_RETURN_NONE;
    uint32_t first = rf_gpu_track_at(recording->rec, op[index].track)->first_op;
    return row_new_at(recording, GPU_OPS, op[index].track, index - first);
}

static PyObject *call_ops_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(row->recording->rec, &n);
    PyObject *list = PyList_New(0);
    uint32_t i = ((const struct rf_call *)row->at)->first_op;
    (void)ignored;
    for (; list != NULL && i < n; i = op[i].next_op)
        list_add(&list, op_object(row->recording, i));
    return list;
}

static PyObject *call_range_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    (void)ignored;
    if (recording_project(row->recording) != 0)
        return NULL;
    uint32_t owner = rf_call_owner(row->recording->projections, row->run, row->index);
    if (owner == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row->recording, RANGES, row->run, owner);
}

static const PyGetSetDef call_objects[] = {
    {"ops", call_ops_object, NULL, "list of GpuOp: the GPU work that it caused.", NULL},
    {"range", call_range_object, NULL, "Range: the innermost one around it; or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind call_kind = {
    .name = "calls",
    .type_name = "rangefinder.recording.Call",
    .doc = "A call of CUDA or of the operating system, on a thread of the CPU.",
    .columns = call_columns,
    .fields = {&rf_call_fields},
    .field_kinds = UINT32_MAX,
    .kind_at = offsetof(struct rf_call, kind),
    .size = sizeof(struct rf_call),
    .is_timed = true,
    .run = run_of_calls,
    .objects = call_objects};

/* ---- GPU work ---- */

static bool run_of_ops(const struct recording *recording, uint32_t i, struct run *run)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(recording->rec, i);
    if (track == NULL)
        return false;
    *run = (struct run){rf_gpu_op_at(recording->rec, track->first_op), track->n_ops};
    return true;
}

static bool is_kernel(const void *at)
{
    return ((const struct rf_gpu_op *)at)->kind == RF_OP_KERNEL;
}

static const struct rf_gpu_op *op_of(const struct row *row)
{
    return row->at;
}

static const void *track_of(const struct row *row)
{
    return rf_gpu_track_at(row->recording->rec, op_of(row)->track);
}

static const void *process_of_op(const struct row *row)
{
    const struct rf_gpu_track *track = track_of(row);
    return rf_process_at(row->recording->rec, track->process);
}

static const void *thread_of_op(const struct row *row)
{
    return rf_thread_at(row->recording->rec, op_of(row)->thread);
}

static const void *part_of_op(const struct row *row, unsigned part, struct rf_row *room)
{
    rf_row_of_op(row->recording->rec, row->at, room);
    return room->part[part];
}

#define OP(member) FIELD(struct rf_gpu_op, member)

/* Columns with a name alone are of rf_op_fields. */
static const struct column op_columns[] = {
    {"kind", WORD, OP(kind), .word = rf_gpu_op_kind_name,
     .doc = "str: 'kernel', 'memcpy', 'memset', 'graph' or 'sync'."},
    {"start_ns", TIME, OP(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, OP(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, OP(start_ns), .get = get_duration, .doc = "int: nanoseconds."},
    {.name = "name"},
    {.name = "full_name"},
    {.name = "device"},
    {.name = "context"},
    {.name = "stream"},
    {.name = "correlation"},
    {.name = "graph"},
    {"pid", NUMBER, PROCESS(pid), .of = process_of_op,
     .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, THREAD(tid), .of = thread_of_op,
     .doc = "int: the thread that called; or None."},
    {"process", INDEX, TRACK(process), .of = track_of, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, OP(thread), .refers = THREADS,
     .doc = "Thread: that called; or None. As a column: its index in Recording.threads."},
    {"flags", NUMBER, OP(flags), .doc = FLAGS_DOC},
    {.name = NULL}};

static PyObject *op_call_object(PyObject *self, void *ignored)
{
    const struct rf_gpu_op *op = op_of(row_of_object(self));
    (void)ignored;
    if (op->thread == RF_NO_INDEX || op->call == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row_of_object(self)->recording, CALLS, op->thread, op->call);
}

static PyObject *op_range_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    const struct rf_gpu_op *op = op_of(row);
    (void)ignored;
    if (recording_project(row->recording) != 0)
        return NULL;
    uint32_t index = (uint32_t)(op - rf_gpu_ops(row->recording->rec, NULL));
    uint32_t owner = rf_projection_owner(row->recording->projections, index);
    if (owner == RF_NO_INDEX || op->thread == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row->recording, RANGES, op->thread, owner);
}

static const PyGetSetDef op_objects[] = {
    {"call", op_call_object, NULL, "Call: that caused it; or None.", NULL},
    {"range", op_range_object, NULL, "Range: the innermost one over that call; or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define OP_ROWS                                                                                    \
    .columns = op_columns, .fields = {&rf_op_fields}, .part_of = part_of_op,                       \
    .kind_at = offsetof(struct rf_gpu_op, kind), .size = sizeof(struct rf_gpu_op),                 \
    .is_timed = true, .run = run_of_ops, .objects = op_objects

/* What kernels alone have is had from the rows of kernels. */
const struct kind op_kind = {
    .name = "gpu_ops",
    .type_name = "rangefinder.recording.GpuOp",
    .doc = "A piece of GPU work: a kernel, a copy, a set, a graph, or a wait.",
    OP_ROWS,
    .field_kinds = ~(1u << RF_OP_KERNEL)};

const struct kind kernel_kind = {.name = "kernels",
                                 .type_name = "rangefinder.recording.Kernel",
                                 .doc = "A kernel that ran on a GPU.",
                                 OP_ROWS,
                                 .field_kinds = 1u << RF_OP_KERNEL,
                                 .keeps = is_kernel};
