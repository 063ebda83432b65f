/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of nsys's other tables. */
#include "export/extra_words.h"
#include "shared_recording.h"
#include "kind.h"
#include "row.h"
#include "with_python.h"

static bool run_of_extras(const struct recording *recording, uint32_t i, struct run *run)
{
    run->base = rf_extras(recording->rec, &run->n);
    return i == 0;
}

static const struct rf_extra *extra_of(const struct row *row)
{
    return row->at;
}

static const char *kind_word(int kind)
{
    const char *name = rf_extra_kind_name(kind);
    return name != NULL ? name : "unknown";
}

static const void *thread_of_extra(const struct row *row)
{
    return rf_thread_at(row->recording->rec, extra_of(row)->thread);
}

static const void *process_of_extra(const struct row *row)
{
    const void *process = process_of_thread(row, extra_of(row)->thread);
    return process != NULL ? process : rf_process_at(row->recording->rec, extra_of(row)->process);
}

#define EXTRA(member) FIELD(struct rf_extra, member)

static const struct column extra_columns[] = {
    {"kind", WORD, EXTRA(kind), .word = kind_word,
     .doc = "str: 'memory', 'cuda_event', 'mpi_p2p', ...: docs/exports.md lists them."},
    {"start_ns", TIME, EXTRA(start_ns), .doc = "int: nanoseconds after time 0; or None."},
    {"end_ns", TIME, EXTRA(end_ns), .doc = "int: None where it is a moment."},
    {"duration_ns", TIME, EXTRA(start_ns), .get = get_duration,
     .doc = "int: None where it is a moment."},
    {"name", TEXT, EXTRA(name), .doc = "str: what it is called; or None."},
    {"pid", NUMBER, PROCESS(pid), .of = process_of_extra,
     .doc = "int: the process as the system numbers it; or None."},
    {"tid", NUMBER, THREAD(tid), .of = thread_of_extra,
     .doc = "int: the thread as the system numbers it; or None."},
    {"process", INDEX, EXTRA(process), .refers = PROCESSES,
     .doc = "Process; or None. As a column: its index in Recording.processes."},
    {"thread", INDEX, EXTRA(thread), .refers = THREADS,
     .doc = "Thread; or None. As a column: its index in Recording.threads."},
    {"device", NUMBER, EXTRA(device), .absent = RF_ABSENT_MAX,
     .doc = "int: the GPU as the process numbers it; or None."},
    {"context", NUMBER, EXTRA(context), .absent = RF_ABSENT_MAX,
     .doc = "int: the CUDA context; or None."},
    {"stream", NUMBER, EXTRA(stream), .absent = RF_ABSENT_MAX, .doc = "int: the stream; or None."},
    {"correlation", NUMBER, EXTRA(correlation), .absent = RF_ABSENT_0,
     .doc = "int: of the call; or None."},
    {.name = NULL}};

static PyObject *value_object(const struct row *row, unsigned i)
{
    int64_t value;
    switch (rf_extra_value(row->recording->rec, extra_of(row), i, &value)) {
    case RF_VALUE_NUMBER:
        return PyLong_FromLongLong(value);
    case RF_VALUE_STRING:
        return recording_string(row->recording, (uint32_t)value);
    default:
        return new_reference(Py_None);
    }
}

static PyObject *values_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    PyObject *dict = PyDict_New();
    const char *name;
    char buffer[64];
    (void)ignored;
    for (unsigned i = 0;
         dict != NULL && (name = rf_extra_value_name(extra_of(row)->kind, i)) != NULL; i++)
        dict_add(&dict, rf_snake_case(name, buffer), value_object(row, i));
    return dict;
}

static const PyGetSetDef extra_objects[] = {
    {"values", values_object, NULL,
     "dict: what else rows of its kind hold, by the names of the columns in nsys's databases\n"
     "('mem_kind' for memKind): int, str, or None.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind extra_kind = {
    .name = "extras",
    .type_name = "rangefinder.recording.Extra",
    .doc = "What else a profiler recorded: allocations, events of CUDA, MPI, ...",
    .columns = extra_columns,
    .size = sizeof(struct rf_extra),
    .run = run_of_extras,
    .objects = extra_objects};
