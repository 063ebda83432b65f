/* SPDX-License-Identifier: Apache-2.0 */
/* To add a kind: its id in kind.h, its columns and runs in kinds_*.c, a row here, and its
 * type in _reader.pyi. */
#include "kinds.h"

#include <string.h>

#include "field_columns.h"
#include "kind.h"
#include "kinds_counter.h"
#include "kinds_event.h"
#include "kinds_extra.h"
#include "kinds_gpu.h"
#include "kinds_place.h"
#include "kinds_process.h"
#include "kinds_projection.h"
#include "model/fields/fields.h"
#include "row.h"

#define ALL_CALLS (1u << RF_CALL_CUDA_RUNTIME | 1u << RF_CALL_CUDA_DRIVER | 1u << RF_CALL_OS)
/* What kernels alone have is had from the rows of kernels. */
#define ALL_BUT_KERNELS (~(1u << RF_OP_KERNEL))

static const struct kind table[N_KINDS] = {
    [EVENTS] = {.name = "events",
                .type_name = "rangefinder.recording.Event",
                .doc = "Something that a program annotated: a range, a mark, or a call that names "
                       "or creates.",
                .columns = event_columns,
                .size = sizeof(struct rf_event),
                .is_timed = 1,
                .run = run_of_events,
                .objects = mark_objects},
    [RANGES] = {.name = "ranges",
                .type_name = "rangefinder.recording.Range",
                .doc = "A range: what a program did between two moments.",
                .columns = event_columns,
                .size = sizeof(struct rf_event),
                .is_timed = 1,
                .run = run_of_events,
                .keeps = is_range_row,
                .objects = range_objects},
    [MARKS] = {.name = "marks",
               .type_name = "rangefinder.recording.Mark",
               .doc = "A moment that a program marked.",
               .columns = event_columns,
               .size = sizeof(struct rf_event),
               .is_timed = 1,
               .run = run_of_events,
               .keeps = is_mark_row,
               .objects = mark_objects},
    [PROCESSES] = {.name = "processes",
                   .type_name = "rangefinder.recording.Process",
                   .doc = "A program that ran in a process.",
                   .columns = process_columns,
                   .size = sizeof(struct rf_process),
                   .run = run_of_processes,
                   .objects = process_objects},
    [THREADS] = {.name = "threads",
                 .type_name = "rangefinder.recording.Thread",
                 .doc = "A thread of a process.",
                 .columns = thread_columns,
                 .size = sizeof(struct rf_thread),
                 .run = run_of_threads,
                 .objects = thread_objects},
    [DOMAINS] = {.name = "domains",
                 .type_name = "rangefinder.recording.Domain",
                 .doc = "A domain of a process.",
                 .columns = domain_columns,
                 .size = sizeof(struct rf_domain),
                 .run = run_of_domains},
    [CAPTURES] = {.name = "captures",
                  .type_name = "rangefinder.recording.Capture",
                  .doc = "A capture of a focused recording.",
                  .columns = capture_columns,
                  .size = sizeof(struct rf_capture_info),
                  .run = run_of_captures},
    [CALLS] = {.name = "calls",
               .type_name = "rangefinder.recording.Call",
               .doc = "A call of CUDA or of the operating system, on a thread of the CPU.",
               .columns = call_columns,
               .fields = &rf_call_fields,
               .field_kinds = ALL_CALLS,
               .kind_at = FIELD(struct rf_call, kind),
               .size = sizeof(struct rf_call),
               .is_timed = 1,
               .run = run_of_calls,
               .objects = call_objects},
    [GPU_OPS] = {.name = "gpu_ops",
                 .type_name = "rangefinder.recording.GpuOp",
                 .doc = "A piece of GPU work: a kernel, a copy, a set, a graph, or a wait.",
                 .columns = op_columns,
                 .fields = &rf_op_fields,
                 .field_kinds = ALL_BUT_KERNELS,
                 .kind_at = FIELD(struct rf_gpu_op, kind),
                 .size = sizeof(struct rf_gpu_op),
                 .is_timed = 1,
                 .run = run_of_ops,
                 .objects = op_objects},
    [KERNELS] = {.name = "kernels",
                 .type_name = "rangefinder.recording.Kernel",
                 .doc = "A kernel that ran on a GPU.",
                 .columns = op_columns,
                 .fields = &rf_op_fields,
                 .field_kinds = 1u << RF_OP_KERNEL,
                 .kind_at = FIELD(struct rf_gpu_op, kind),
                 .size = sizeof(struct rf_gpu_op),
                 .is_timed = 1,
                 .run = run_of_ops,
                 .keeps = is_kernel_row,
                 .objects = op_objects},
    [GPUS] = {.name = "gpus",
              .type_name = "rangefinder.recording.Gpu",
              .doc = "A GPU of the machine.",
              .columns = gpu_columns,
              .size = sizeof(struct rf_gpu),
              .run = run_of_gpus,
              .objects = gpu_objects},
    [GPU_STREAMS] = {.name = "gpu_streams",
                     .type_name = "rangefinder.recording.GpuStream",
                     .doc = "A stream: where the GPU work of a process runs in order.",
                     .columns = stream_columns,
                     .size = sizeof(struct rf_gpu_track),
                     .run = run_of_streams},
    [COUNTERS] = {.name = "counters",
                  .type_name = "rangefinder.recording.Counter",
                  .doc = "A quantity over time.",
                  .columns = counter_columns,
                  .size = sizeof(struct rf_counter),
                  .run = run_of_counters,
                  .objects = counter_objects},
    [SAMPLES] = {.name = "samples",
                 .type_name = "rangefinder.recording.Sample",
                 .doc = "The value of a counter from the sample before up to start_ns.",
                 .columns = sample_columns,
                 .size = sizeof(int64_t),
                 .is_timed = 1,
                 .run = run_of_samples,
                 .objects = sample_objects},
    [EXTRAS] = {.name = "extras",
                .type_name = "rangefinder.recording.Extra",
                .doc = "What else a profiler recorded: allocations, events of CUDA, MPI, ...",
                .columns = extra_columns,
                .size = sizeof(struct rf_extra),
                .run = run_of_extras,
                .objects = extra_objects},
    [PROJECTIONS] = {.name = "projections",
                     .type_name = "rangefinder.recording.Projection",
                     .doc = "The GPU work under a range.",
                     .columns = projection_columns,
                     .size = sizeof(struct rf_projection),
                     .run = run_of_projections,
                     .objects = projection_objects},
    [REPORT] = {.name = "report",
                .type_name = "rangefinder.recording.ReportRow",
                .doc = "A row of a report. Its values are had by their titles: row[\"Range\"]."},
};

/* Returns 0, or -1 without memory. */
static int list_columns(struct kind *kind)
{
    for (const struct column *column = kind->columns; column->name != NULL; column++) {
        if (column->only_in != 0 && (column->only_in >> kind->id & 1) == 0)
            continue;
        bool is_described = column->doc == NULL;
        const struct column *added = is_described ? field_column_new(kind, column->name) : column;
        if (added == NULL)
            return -1;
        kind->column[kind->n_columns++] = added;
    }
    return kind->fields != NULL ? add_field_columns(kind) : 0;
}

static int add_type(PyObject *module, const char *full_name, PyTypeObject *type)
{
    if (type == NULL)
        return -1;
    Py_INCREF(type); /* of the module */
    return PyModule_AddObject(module, strrchr(full_name, '.') + 1, (PyObject *)type);
}

/* What an earlier import made stays as it is. */
static void complete(struct kind *kind, enum kind_id id)
{
    if (kind->row_type != NULL)
        return;
    *kind = table[id];
    kind->id = id;
    if (kind->columns != NULL && list_columns(kind) != 0)
        (void)PyErr_NoMemory();
    else
        kind->row_type = row_type_new(kind);
}

int kinds_init(PyObject *module)
{
    if (add_type(module, "rangefinder.recording.Row", row_base_type()) != 0)
        return -1;
    for (int id = 0; id < N_KINDS; id++) {
        complete(&kinds[id], (enum kind_id)id);
        if (add_type(module, kinds[id].type_name, kinds[id].row_type) != 0)
            return -1;
    }
    return 0;
}
