/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_gpu.h"

#include <string.h>

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

/* ---- Calls ---- */

static int get_call_kind(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = ((const struct rf_call *)row->at)->kind;
    return 1;
}

static int get_call_duration(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_call *call = row->at;
    (void)column;
    value_set_duration(value, call->start_ns, call->end_ns);
    return 1;
}

static int get_call_correlation(const struct column *column, const struct row *row,
                                union value *value)
{
    (void)column;
    return value_set_id(value, ((const struct rf_call *)row->at)->correlation, 0);
}

static int get_call_result(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_call *call = row->at;
    (void)column;
    value->i = call->result;
    return call->kind != RF_CALL_OS;
}

static int get_call_flags(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = ((const struct rf_call *)row->at)->flags;
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

const struct column call_columns[] = {
    {"kind", WORD, .get = get_call_kind, .word = rf_call_kind_name,
     .doc = "str: 'cuda_runtime', 'cuda_driver' or 'osrt'."},
    {"start_ns", TIME, CALL(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, CALL(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, .get = get_call_duration, .doc = "int: nanoseconds."},
    {"name", TEXT, CALL(name), .doc = "str: the function."},
    {"correlation", NUMBER, .get = get_call_correlation,
     .doc = "int: names the call in its process; or None."},
    {"result", INDEX, .get = get_call_result, .refers = N_KINDS,
     .doc = "int: what it returned; None for functions of the operating system."},
    {"flags", NUMBER, .get = get_call_flags, .doc = FLAGS_DOC},
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

static int get_op_kind(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = op_of(row)->kind;
    return 1;
}

static int get_op_duration(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value_set_duration(value, op_of(row)->start_ns, op_of(row)->end_ns);
    return 1;
}

static int get_op_full_name(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_kernel *kernel = rf_op_kernel(row->held->rec, op_of(row));
    (void)column;
    value->u = kernel != NULL ? kernel->demangled : RF_NO_STRING;
    return kernel != NULL;
}

static int get_op_correlation(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    return value_set_id(value, op_of(row)->correlation, 0);
}

static int get_op_graph(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_id(value, op_of(row)->graph, 0);
}

static int get_op_flags(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = op_of(row)->flags;
    return 1;
}

static int get_op_device(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_id(value, track_of(row)->device, RF_NO_INDEX);
}

static int get_op_context(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_id(value, track_of(row)->context, RF_NO_INDEX);
}

static int get_op_stream(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_id(value, track_of(row)->stream, RF_NO_INDEX);
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

static int get_op_bytes(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_transfer *transfer = rf_op_transfer(row->held->rec, op_of(row));
    (void)column;
    value->u = transfer != NULL ? transfer->bytes : 0;
    return transfer != NULL;
}

static int get_op_copy_kind(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_transfer *transfer = rf_op_transfer(row->held->rec, op_of(row));
    (void)column;
    value->u = transfer != NULL ? transfer->copy_kind : 0;
    return transfer != NULL && op_of(row)->kind == RF_OP_MEMCPY;
}

/* A number of struct rf_kernel, at column->field of it. */
static int get_kernel_number(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_kernel *kernel = rf_op_kernel(row->held->rec, op_of(row));
    uint32_t number = 0;
    if (kernel != NULL)
        memcpy(&number, (const char *)kernel + column->field, sizeof(number));
    value->u = number;
    return kernel != NULL;
}

#define OP(member)     FIELD(struct rf_gpu_op, member)
#define KERNEL(member) FIELD(struct rf_kernel, member), .get = get_kernel_number
#define KERNELS_ONLY   (1u << KERNELS)
#define OPS_ONLY       (1u << GPU_OPS)

const struct column op_columns[] = {
    {"kind", WORD, .get = get_op_kind, .word = rf_gpu_op_kind_name,
     .doc = "str: 'kernel', 'memcpy', 'memset', 'graph' or 'sync'."},
    {"start_ns", TIME, OP(start_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, OP(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, .get = get_op_duration, .doc = "int: nanoseconds."},
    {"name", TEXT, OP(name), .doc = "str: of a kernel its short name; otherwise None."},
    {"full_name", TEXT, .get = get_op_full_name, .doc = "str: of a kernel; otherwise None."},
    {"device", NUMBER, .get = get_op_device, .doc = "int: the GPU as the process numbers it."},
    {"context", NUMBER, .get = get_op_context, .doc = "int."},
    {"stream", NUMBER, .get = get_op_stream, .doc = "int."},
    {"correlation", NUMBER, .get = get_op_correlation, .doc = "int: of the call; or None."},
    {"graph", NUMBER, .get = get_op_graph, .doc = "int: the graph that it belongs to; or None."},
    {"pid", NUMBER, .get = get_op_pid, .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, .get = get_op_tid, .doc = "int: the thread that called; or None."},
    {"process", INDEX, .get = get_op_process, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_op_thread, .refers = THREADS,
     .doc = "Thread: that called; or None. As a column: its index in Recording.threads."},
    {"flags", NUMBER, .get = get_op_flags, .doc = FLAGS_DOC},
    {"bytes", COUNT, .get = get_op_bytes, .only_in = OPS_ONLY,
     .doc = "int: that were copied or set; None for other work."},
    {"copy_kind", WORD, .get = get_op_copy_kind, .word = rf_copy_kind_name, .only_in = OPS_ONLY,
     .doc = "str: 'HtoD', 'DtoH', ...; None for other work."},
    {"grid_x", NUMBER, KERNEL(grid[0]), .only_in = KERNELS_ONLY, .doc = "int: blocks."},
    {"grid_y", NUMBER, KERNEL(grid[1]), .only_in = KERNELS_ONLY, .doc = "int: blocks."},
    {"grid_z", NUMBER, KERNEL(grid[2]), .only_in = KERNELS_ONLY, .doc = "int: blocks."},
    {"block_x", NUMBER, KERNEL(block[0]), .only_in = KERNELS_ONLY, .doc = "int: threads."},
    {"block_y", NUMBER, KERNEL(block[1]), .only_in = KERNELS_ONLY, .doc = "int: threads."},
    {"block_z", NUMBER, KERNEL(block[2]), .only_in = KERNELS_ONLY, .doc = "int: threads."},
    {"registers", NUMBER, KERNEL(registers), .only_in = KERNELS_ONLY, .doc = "int: per thread."},
    {"static_shared_bytes", NUMBER, KERNEL(static_shared_bytes), .only_in = KERNELS_ONLY,
     .doc = "int: per block."},
    {"dynamic_shared_bytes", NUMBER, KERNEL(dynamic_shared_bytes), .only_in = KERNELS_ONLY,
     .doc = "int: per block."},
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
