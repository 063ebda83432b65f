/* SPDX-License-Identifier: Apache-2.0 */
/* To add a kind: its id in reader_module.h, its columns and runs in kinds_*.c, a row here, and its
 * type in _reader.pyi. */
#include <string.h>

#include "reader_module.h"

struct kind kinds[N_KINDS] = {
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
               .size = sizeof(struct rf_call),
               .is_timed = 1,
               .run = run_of_calls,
               .objects = call_objects},
    [GPU_OPS] = {.name = "gpu_ops",
                 .type_name = "rangefinder.recording.GpuOp",
                 .doc = "A piece of GPU work: a kernel, a copy, a set, a graph, or a wait.",
                 .columns = op_columns,
                 .size = sizeof(struct rf_gpu_op),
                 .is_timed = 1,
                 .run = run_of_ops,
                 .objects = op_objects},
    [KERNELS] = {.name = "kernels",
                 .type_name = "rangefinder.recording.Kernel",
                 .doc = "A kernel that ran on a GPU.",
                 .columns = op_columns,
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

static void list_columns(struct kind *kind)
{
    for (const struct column *column = kind->columns; column->name != NULL; column++)
        if (column->only_in == 0 || (column->only_in >> kind->id & 1) != 0)
            kind->column[kind->n_columns++] = column;
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
    kind->id = id;
    kind->n_columns = 0;
    if (kind->columns != NULL)
        list_columns(kind);
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

const struct column *kind_find_column(const struct kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_columns; i++)
        if (strcmp(kind->column[i]->name, name) == 0)
            return kind->column[i];
    return NULL;
}

/* "a, b, c" */
static PyObject *list_names(const struct kind *kind)
{
    PyObject *list = PyUnicode_FromString("");
    for (size_t i = 0; list != NULL && i < kind->n_columns; i++)
        Py_SETREF(list,
                  PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", kind->column[i]->name));
    return list;
}

PyObject *kind_raise_no_column(const struct kind *kind, PyObject *exception, PyObject *name)
{
    PyObject *list = list_names(kind);
    if (list != NULL)
        PyErr_Format(exception, "%s have no column %R; there are: %U", kind->name, name, list);
    Py_XDECREF(list);
    return NULL;
}

PyObject *kinds_raise_no_rows(PyObject *name)
{
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list != NULL && i < N_KINDS; i++)
        if (i != REPORT && i != PROJECTIONS)
            Py_SETREF(list, PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", kinds[i].name));
    if (list != NULL)
        PyErr_Format(PyExc_KeyError, "there are no rows %R, but: %U", name, list);
    Py_XDECREF(list);
    return NULL;
}

const struct column *column_narrow(const struct column *column, const struct view *view)
{
    const struct column *narrow = column;
    if (column->narrow == NULL)
        return column;
    Py_BEGIN_ALLOW_THREADS;
    narrow = column->narrow(view);
    Py_END_ALLOW_THREADS;
    return narrow;
}

/* ---- Values ---- */

static uint32_t field_u32(const struct column *column, const struct row *row)
{
    uint32_t value;
    memcpy(&value, (const char *)row->at + column->field, sizeof(value));
    return value;
}

static int field_get(const struct column *column, const struct row *row, union value *value)
{
    switch (column->type) {
    case TIME:
    case COUNT:
    case INTEGER:
    case REAL:
        memcpy(value, (const char *)row->at + column->field, 8);
        return column->type != TIME || value->i != RF_NO_TIME;
    case INDEX:
        value->i = field_u32(column, row);
        return value->i != RF_NO_INDEX;
    case FLAG: { /* an int */
        value->u = field_u32(column, row) != 0;
        return 1;
    }
    default:
        value->u = field_u32(column, row);
        return 1;
    }
}

/* Whether a string has text. */
static int has_text(const struct column *column, const struct held *held, uint64_t id)
{
    size_t size;
    return column_text(column, held, id, &size) != NULL;
}

int column_get(const struct column *column, const struct row *row, union value *value)
{
    int is_there =
        column->get != NULL ? column->get(column, row, value) : field_get(column, row, value);
    return is_there && (column->type != TEXT || has_text(column, row->held, value->u));
}

const char *column_text(const struct column *column, const struct held *held, uint64_t id,
                        size_t *size)
{
    int is_none_text =
        column->type == TEXT && column->none_text != NULL && id == rf_n_strings(held->rec);
    if (column->type == TEXT && !is_none_text)
        return rf_string(held->rec, (uint32_t)id, size);
    const char *word = is_none_text ? column->none_text : column->word((int)id);
    *size = word != NULL ? strlen(word) : 0;
    return word;
}

size_t column_n_ids(const struct column *column, const struct held *held)
{
    if (column->type != TEXT)
        return UINT8_MAX + 1;
    return rf_n_strings(held->rec) + (column->none_text != NULL);
}

static PyObject *text_of_id(const struct column *column, const struct row *row, uint64_t id)
{
    size_t size = 0;
    const char *text = column_text(column, row->held, id, &size);
    return text_object(text, size);
}

PyObject *column_get_object(const struct column *column, const struct row *row)
{
    union value value;
    if (!column_get(column, row, &value))
        Py_RETURN_NONE;
    if (column->object != NULL)
        return column->object(row);
    switch (column->type) {
    case TIME:
    case INDEX:
    case INTEGER:
        return PyLong_FromLongLong(value.i);
    case COUNT:
    case NUMBER:
        return PyLong_FromUnsignedLongLong(value.u);
    case REAL:
        return PyFloat_FromDouble(value.d);
    case FLAG:
        return PyBool_FromLong(value.u != 0);
    case PLAIN:
        return text_object(value.text, value.size);
    default:
        return text_of_id(column, row, value.u);
    }
}

/* ---- What several kinds have ---- */

int value_set_thread(const struct row *row, uint32_t thread, union value *value)
{
    value->i = thread;
    return rf_thread_at(row->held->rec, thread) != NULL;
}

int value_set_tid(const struct row *row, uint32_t thread, union value *value)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    value->u = found != NULL ? found->tid : 0;
    return found != NULL;
}

int value_set_pid(const struct row *row, uint32_t process, union value *value)
{
    const struct rf_process *found = rf_process_at(row->held->rec, process);
    value->u = found != NULL ? found->pid : 0;
    return found != NULL;
}

/* The default domain has no name of its own. */
int value_set_domain(const struct row *row, uint32_t domain, union value *value)
{
    const struct rf_domain *found = rf_domain_at(row->held->rec, domain);
    if (found != NULL)
        value->u = found->id == 0 ? rf_n_strings(row->held->rec) : found->name;
    return found != NULL;
}

uint32_t row_process_of(const struct row *row, uint32_t thread)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    return found != NULL ? found->process : RF_NO_INDEX;
}

void value_set_duration(union value *value, int64_t start_ns, int64_t end_ns)
{
    value->i = (int64_t)((uint64_t)end_ns - (uint64_t)start_ns);
}

int value_set_id(union value *value, uint32_t id, uint32_t none)
{
    value->u = id;
    return id != none;
}

const struct row *row_of_object(PyObject *self)
{
    return &((struct row_object *)self)->row;
}
