/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_gpu.h"

#include "held.h"
#include "kind.h"
#include "model/fields/gpu_names.h"
#include "row.h"

/* ---- Which rows there are ---- */

int run_of_calls(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (i >= rf_n_threads(held->rec))
        return 0;
    run->base = (const char *)rf_thread_calls(held->rec, i, &run->n);
    return 1;
}

int run_of_ops(const struct held *held, uint32_t i, struct run *run)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(held->rec, i);
    *run = (struct run){NULL, 0};
    if (track == NULL)
        return 0;
    const struct rf_gpu_op *op = rf_gpu_ops(held->rec, NULL);
    *run = (struct run){op != NULL ? (const char *)(op + track->first_op) : NULL, track->n_ops};
    return 1;
}

int is_kernel_row(const void *at)
{
    return ((const struct rf_gpu_op *)at)->kind == RF_OP_KERNEL;
}

/* A byte of the row. */
static int get_byte(const struct column *column, const struct row *row, union value *value)
{
    value->u = *((const uint8_t *)row->at + column->field);
    return 1;
}

/* ---- Calls ---- */

static int get_call_duration(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_call *call = row->at;
    (void)column;
    value_set_duration(value, call->start_ns, call->end_ns);
    return 1;
}

static int get_call_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_thread(row, row->run, value);
}

static int get_call_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_tid(row, row->run, value);
}

static int get_call_pid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_pid(row, row_process_of(row, row->run), value);
}

static int get_call_process(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = row_process_of(row, row->run);
    return value->i != RF_NO_INDEX;
}

#define CALL(member) FIELD(struct rf_call, member)
#define FLAGS_DOC                                                                                  \
    "int: what its times are not, enum rf_time_flags of gpu_work.h: 1 no start, 2 no end, "        \
    "4 the end lay before the start, 8 it begins before its call; 0: they are right."

/* Columns with a name alone are of rf_call_fields. */
const struct column call_columns[] = {
    {"kind", WORD, CALL(kind), .get = get_byte, .word = rf_call_kind_name,
     .doc = "str: 'cuda_runtime', 'cuda_driver' or 'osrt'."},
    {"start_ns", TIME, CALL(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, CALL(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, .get = get_call_duration, .doc = "int: nanoseconds."},
    {.name = "name"},
    {.name = "correlation"},
    {.name = "result"},
    {"flags", NUMBER, CALL(flags), .get = get_byte, .doc = FLAGS_DOC},
    {"pid", NUMBER, .get = get_call_pid, .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, .get = get_call_tid, .doc = "int: the thread as the system numbers it."},
    {"process", INDEX, .get = get_call_process, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_call_thread, .refers = THREADS,
     .doc = "Thread. As a column: its index in Recording.threads."},
    {.name = NULL}};

static PyObject *op_object(const struct held *held, uint32_t index)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(held->rec, &n);
    if (index >= n)
        Py_RETURN_NONE;
    uint32_t first = rf_gpu_track_at(held->rec, op[index].track)->first_op;
    return row_new_at(held, GPU_OPS, op[index].track, index - first);
}

static PyObject *call_ops_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(row->held->rec, &n);
    PyObject *list = PyList_New(0);
    uint32_t i = ((const struct rf_call *)row->at)->first_op;
    (void)ignored;
    for (; list != NULL && i < n; i = op[i].next_op) {
        PyObject *object = op_object(row->held, i);
        if (object == NULL || PyList_Append(list, object) != 0)
            Py_CLEAR(list);
        Py_XDECREF(object);
    }
    return list;
}

static PyObject *call_range_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    (void)ignored;
    if (held_project(row->held) != 0)
        return NULL;
    uint32_t owner = rf_call_owner(row->held->projections, row->run, row->index);
    if (owner == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row->held, RANGES, row->run, owner);
}

const PyGetSetDef call_objects[] = {
    {"ops", call_ops_object, NULL, "list of GpuOp: the GPU work that it caused.", NULL},
    {"range", call_range_object, NULL, "Range: the innermost one around it; or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* ---- GPU work ---- */

static const struct rf_gpu_op *op_of(const struct row *row)
{
    return row->at;
}

static const struct rf_gpu_track *track_of(const struct row *row)
{
    return rf_gpu_track_at(row->held->rec, op_of(row)->track);
}

static int get_op_duration(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value_set_duration(value, op_of(row)->start_ns, op_of(row)->end_ns);
    return 1;
}

static int get_op_process(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = track_of(row)->process;
    return rf_process_at(row->held->rec, track_of(row)->process) != NULL;
}

static int get_op_pid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_pid(row, track_of(row)->process, value);
}

static int get_op_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_thread(row, op_of(row)->thread, value);
}

static int get_op_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_tid(row, op_of(row)->thread, value);
}

#define OP(member) FIELD(struct rf_gpu_op, member)

/* Columns with a name alone are of rf_op_fields. */
const struct column op_columns[] = {
    {"kind", WORD, OP(kind), .get = get_byte, .word = rf_gpu_op_kind_name,
     .doc = "str: 'kernel', 'memcpy', 'memset', 'graph' or 'sync'."},
    {"start_ns", TIME, OP(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, OP(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, .get = get_op_duration, .doc = "int: nanoseconds."},
    {.name = "name"},
    {.name = "full_name"},
    {.name = "device"},
    {.name = "context"},
    {.name = "stream"},
    {.name = "correlation"},
    {.name = "graph"},
    {"pid", NUMBER, .get = get_op_pid, .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, .get = get_op_tid, .doc = "int: the thread that called; or None."},
    {"process", INDEX, .get = get_op_process, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_op_thread, .refers = THREADS,
     .doc = "Thread: that called; or None. As a column: its index in Recording.threads."},
    {"flags", NUMBER, OP(flags), .get = get_byte, .doc = FLAGS_DOC},
    {.name = NULL}};

static PyObject *op_call_object(PyObject *self, void *ignored)
{
    const struct rf_gpu_op *op = op_of(row_of_object(self));
    (void)ignored;
    if (op->thread == RF_NO_INDEX || op->call == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row_of_object(self)->held, CALLS, op->thread, op->call);
}

static PyObject *op_range_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    const struct rf_gpu_op *op = op_of(row);
    (void)ignored;
    if (held_project(row->held) != 0)
        return NULL;
    uint32_t index = (uint32_t)(op - rf_gpu_ops(row->held->rec, NULL));
    uint32_t owner = rf_projection_owner(row->held->projections, index);
    if (owner == RF_NO_INDEX || op->thread == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row->held, RANGES, op->thread, owner);
}

const PyGetSetDef op_objects[] = {
    {"call", op_call_object, NULL, "Call: that caused it; or None.", NULL},
    {"range", op_range_object, NULL, "Range: the innermost one over that call; or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
