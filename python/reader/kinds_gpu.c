/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "export/gpu_names.h"
#include "reader_module.h"

#define FIELD(type, member) (int)offsetof(type, member)

static const struct row *row_of(PyObject *self)
{
    return &((struct row_object *)self)->row;
}

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

/* The model has these as arrays. */
int run_of_gpus(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_gpu_at(held->rec, 0), rf_n_gpus(held->rec)};
    return i == 0;
}

int run_of_streams(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_gpu_track_at(held->rec, 0), rf_n_gpu_tracks(held->rec)};
    return i == 0;
}

int run_of_counters(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_counter_at(held->rec, 0), rf_n_counters(held->rec)};
    return i == 0;
}

int run_of_samples(const struct held *held, uint32_t i, struct run *run)
{
    const struct rf_counter *counter = rf_counter_at(held->rec, i);
    *run = (struct run){NULL, 0};
    if (counter == NULL)
        return 0;
    const struct rf_counter_sample *sample = rf_counter_samples(held->rec, NULL);
    if (sample != NULL)
        *run = (struct run){(const char *)(sample + counter->first_sample), counter->n_samples};
    return 1;
}

int run_of_projections(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (held->projections != NULL)
        run->base = (const char *)rf_projections_all(held->projections, &run->n);
    return i == 0;
}

int is_kernel_row(const void *at)
{
    return ((const struct rf_gpu_op *)at)->kind == RF_OP_KERNEL;
}

/* ---- What several kinds have ---- */

static int set_thread(const struct row *row, uint32_t thread, union value *value)
{
    value->i = thread;
    return rf_thread_at(row->held->rec, thread) != NULL;
}

static int set_tid(const struct row *row, uint32_t thread, union value *value)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    value->u = found != NULL ? found->tid : 0;
    return found != NULL;
}

static int set_pid(const struct row *row, uint32_t process, union value *value)
{
    const struct rf_process *found = rf_process_at(row->held->rec, process);
    value->u = found != NULL ? found->pid : 0;
    return found != NULL;
}

static uint32_t process_of_thread(const struct row *row, uint32_t thread)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    return found != NULL ? found->process : RF_NO_INDEX;
}

static void set_duration(union value *value, int64_t start_ns, int64_t end_ns)
{
    value->i = (int64_t)((uint64_t)end_ns - (uint64_t)start_ns);
}

static int set_id(union value *value, uint32_t id, uint32_t none)
{
    value->u = id;
    return id != none;
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
    set_duration(value, call->start_ns, call->end_ns);
    return 1;
}

static int get_call_correlation(const struct column *column, const struct row *row,
                                union value *value)
{
    (void)column;
    return set_id(value, ((const struct rf_call *)row->at)->correlation, 0);
}

static int get_call_result(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_call *call = row->at;
    (void)column;
    value->i = call->result;
    return call->kind != RF_CALL_OS;
}

static int get_call_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_thread(row, row->run, value);
}

static int get_call_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_tid(row, row->run, value);
}

static int get_call_pid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_pid(row, process_of_thread(row, row->run), value);
}

static int get_call_process(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = process_of_thread(row, row->run);
    return value->i != RF_NO_INDEX;
}

#define CALL(member) FIELD(struct rf_call, member)

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
    const struct row *row = row_of(self);
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

const PyGetSetDef call_objects[] = {
    {"ops", call_ops_object, NULL, "list of GpuOp: the GPU work that it caused.", NULL},
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
    set_duration(value, op_of(row)->start_ns, op_of(row)->end_ns);
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
    return set_id(value, op_of(row)->correlation, 0);
}

static int get_op_graph(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_id(value, op_of(row)->graph, 0);
}

static int get_op_device(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_id(value, track_of(row)->device, RF_NO_INDEX);
}

static int get_op_context(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_id(value, track_of(row)->context, RF_NO_INDEX);
}

static int get_op_stream(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_id(value, track_of(row)->stream, RF_NO_INDEX);
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
    return set_pid(row, track_of(row)->process, value);
}

static int get_op_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_thread(row, op_of(row)->thread, value);
}

static int get_op_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return set_tid(row, op_of(row)->thread, value);
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
    const struct rf_gpu_op *op = op_of(row_of(self));
    (void)ignored;
    if (op->thread == RF_NO_INDEX || op->call == RF_NO_INDEX)
        Py_RETURN_NONE;
    return row_new_at(row_of(self)->held, CALLS, op->thread, op->call);
}

static PyObject *op_range_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of(self);
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

#define GPU(member)   FIELD(struct rf_gpu, member)
#define TRACK(member) FIELD(struct rf_gpu_track, member)

const struct column gpu_columns[] = {
    {"id", NUMBER, GPU(id), .doc = "int: as the driver numbers it."},
    {"name", TEXT, GPU(name), .doc = "str."},
    {"chip", TEXT, GPU(chip), .doc = "str; or None."},
    {"uuid", TEXT, GPU(uuid), .doc = "str; or None."},
    {"memory_bytes", COUNT, GPU(memory_bytes), .doc = "int."},
    {"n_multiprocessors", NUMBER, GPU(n_multiprocessors), .doc = "int."},
    {"capability_major", NUMBER, GPU(capability_major), .doc = "int."},
    {"capability_minor", NUMBER, GPU(capability_minor), .doc = "int."},
    {.name = NULL}};

const struct column stream_columns[] = {
    {"process", INDEX, TRACK(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"device", NUMBER, TRACK(device), .doc = "int: the GPU as the process numbers it."},
    {"context", NUMBER, TRACK(context), .doc = "int."},
    {"green_context", NUMBER, TRACK(green_context), .doc = "int: 0 for none."},
    {"stream", NUMBER, TRACK(stream), .doc = "int."},
    {"n_ops", NUMBER, TRACK(n_ops), .doc = "int: how much work ran in it."},
    {.name = NULL}};

/* ---- Counters ---- */

static int get_counter_device(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    return set_id(value, ((const struct rf_counter *)row->at)->device, RF_NO_INDEX);
}

static int get_n_samples(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = ((const struct rf_counter *)row->at)->n_samples;
    return 1;
}

#define COUNTER(member) FIELD(struct rf_counter, member)

const struct column counter_columns[] = {
    {"name", TEXT, COUNTER(name), .doc = "str: 'SMs Active [Throughput %]'."},
    {"set", TEXT, COUNTER(set), .doc = "str: what it was sampled with; or None."},
    {"device", NUMBER, .get = get_counter_device, .doc = "int: Gpu.id; or None."},
    {"process", INDEX, COUNTER(process), .refers = PROCESSES,
     .doc = "Process; None where it is of the machine."},
    {"n_samples", COUNT, .get = get_n_samples, .doc = "int."},
    {"is_derived", FLAG, COUNTER(is_derived),
     .doc = "bool: whether it was reckoned from allocations."},
    {.name = NULL}};

static PyObject *samples_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_new(row_of(self)->held, &kinds[SAMPLES], row_of(self)->index);
}

const PyGetSetDef counter_objects[] = {
    {"samples", samples_object, NULL, "Rows of Sample, by time.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static int get_sample_counter(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    value->i = row->run;
    return 1;
}

static int get_sample_name(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = rf_counter_at(row->held->rec, row->run)->name;
    return 1;
}

const struct column sample_columns[] = {
    {"start_ns", TIME, FIELD(struct rf_counter_sample, ns),
     .doc = "int: nanoseconds after time 0."},
    {"value", REAL, FIELD(struct rf_counter_sample, value), .doc = "float."},
    {"counter", INDEX, .get = get_sample_counter, .refers = COUNTERS,
     .doc = "Counter. As a column: its index in Recording.counters."},
    {"name", TEXT, .get = get_sample_name, .doc = "str: of the counter."},
    {.name = NULL}};

const PyGetSetDef sample_objects[] = {{NULL, NULL, NULL, NULL, NULL}};

/* ---- Projections ---- */

static const struct rf_event *projected_range(const struct row *row)
{
    const struct rf_projection *projection = row->at;
    return rf_thread_events(row->held->rec, projection->thread, NULL) + projection->event;
}

static int get_projected_name(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    value->u = projected_range(row)->name;
    return 1;
}

static int get_projected_domain(const struct column *column, const struct row *row,
                                union value *value)
{
    const struct rf_domain *domain = rf_domain_at(row->held->rec, projected_range(row)->domain);
    (void)column;
    value->u = domain != NULL ? domain->name : RF_NO_STRING;
    return domain != NULL;
}

static int get_projected_duration(const struct column *column, const struct row *row,
                                  union value *value)
{
    const struct rf_projection *projection = row->at;
    (void)column;
    set_duration(value, projection->start_ns, projection->end_ns);
    return 1;
}

static int get_range_start(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = projected_range(row)->start_ns;
    return 1;
}

static int get_range_end(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = projected_range(row)->end_ns;
    return 1;
}

static int get_projection_pid(const struct column *column, const struct row *row,
                              union value *value)
{
    const struct rf_projection *projection = row->at;
    (void)column;
    return set_pid(row, process_of_thread(row, projection->thread), value);
}

static int get_projection_tid(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    return set_tid(row, ((const struct rf_projection *)row->at)->thread, value);
}

#define PROJECTION(member) FIELD(struct rf_projection, member)

const struct column projection_columns[] = {
    {"name", TEXT, .get = get_projected_name, .doc = "str: of the range."},
    {"domain", TEXT, .get = get_projected_domain, .doc = "str: of the range."},
    {"start_ns", TIME, PROJECTION(start_ns), .doc = "int: of the first piece of work."},
    {"end_ns", TIME, PROJECTION(end_ns), .doc = "int: of the last piece of work."},
    {"duration_ns", TIME, .get = get_projected_duration, .doc = "int: from the one to the other."},
    {"busy_ns", COUNT, PROJECTION(busy_ns), .doc = "int: sum of the durations of the work."},
    {"n_calls", NUMBER, PROJECTION(n_calls), .doc = "int: that caused the work."},
    {"n_ops", NUMBER, PROJECTION(n_ops), .doc = "int: pieces of work."},
    {"range_start_ns", TIME, .get = get_range_start, .doc = "int: when the range began."},
    {"range_end_ns", TIME, .get = get_range_end, .doc = "int: when the range ended."},
    {"pid", NUMBER, .get = get_projection_pid, .doc = "int: the process of the range."},
    {"tid", NUMBER, .get = get_projection_tid, .doc = "int: the thread of the range."},
    {"thread", INDEX, PROJECTION(thread), .refers = THREADS,
     .doc = "Thread: of the range. As a column: its index in Recording.threads."},
    {"is_by_process", FLAG, PROJECTION(by_process),
     .doc = "bool: whether the calls are those of the whole process."},
    {.name = NULL}};

static PyObject *projected_range_object(PyObject *self, void *ignored)
{
    const struct rf_projection *projection = row_of(self)->at;
    (void)ignored;
    return row_new_at(row_of(self)->held, RANGES, projection->thread, projection->event);
}

const PyGetSetDef projection_objects[] = {{"range", projected_range_object, NULL, "Range.", NULL},
                                          {NULL, NULL, NULL, NULL, NULL}};
