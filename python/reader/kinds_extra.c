/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_extra.h"

#include "buffer.h"
#include "export/extra_words.h"
#include "kind.h"
#include "python_text.h"
#include "row.h"
#include "with_python.h"

int run_of_extras(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (i == 0)
        run->base = (const char *)rf_extras(held->rec, &run->n);
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

static int get_kind(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = extra_of(row)->kind;
    return 1;
}

static int get_duration(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_extra *extra = extra_of(row);
    (void)column;
    value_set_duration(value, extra->start_ns, extra->end_ns);
    return extra->start_ns != RF_NO_TIME && extra->end_ns != RF_NO_TIME;
}

/* A uint32_t of struct rf_extra, at column->field of it; RF_NO_INDEX: there is none. */
static int get_id(const struct column *column, const struct row *row, union value *value)
{
    uint32_t id;
    memcpy(&id, (const char *)row->at + column->field, sizeof(id));
    return value_set_id(value, id, RF_NO_INDEX);
}

static int get_correlation(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_id(value, extra_of(row)->correlation, 0);
}

static int get_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_tid(row, extra_of(row)->thread, value);
}

static int get_pid(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_extra *extra = extra_of(row);
    uint32_t process = row_process_of(row, extra->thread);
    (void)column;
    return value_set_pid(row, process != RF_NO_INDEX ? process : extra->process, value);
}

#define EXTRA(member) FIELD(struct rf_extra, member)

const struct column extra_columns[] = {
    {"kind", WORD, .get = get_kind, .word = kind_word,
     .doc = "str: 'memory', 'cuda_event', 'mpi_p2p', ...: docs/exports.md lists them."},
    {"start_ns", TIME, EXTRA(start_ns), .doc = "int: nanoseconds after time 0; or None."},
    {"end_ns", TIME, EXTRA(end_ns), .doc = "int: None where it is a moment."},
    {"duration_ns", TIME, .get = get_duration, .doc = "int: None where it is a moment."},
    {"name", TEXT, EXTRA(name), .doc = "str; or None."},
    {"pid", NUMBER, .get = get_pid, .doc = "int: the process as the system numbers it; or None."},
    {"tid", NUMBER, .get = get_tid, .doc = "int: the thread as the system numbers it; or None."},
    {"process", INDEX, EXTRA(process), .refers = PROCESSES,
     .doc = "Process; or None. As a column: its index in Recording.processes."},
    {"thread", INDEX, EXTRA(thread), .refers = THREADS,
     .doc = "Thread; or None. As a column: its index in Recording.threads."},
    {"device", NUMBER, EXTRA(device), .get = get_id, .doc = "int; or None."},
    {"context", NUMBER, EXTRA(context), .get = get_id, .doc = "int; or None."},
    {"stream", NUMBER, EXTRA(stream), .get = get_id, .doc = "int; or None."},
    {"correlation", NUMBER, .get = get_correlation, .doc = "int: of the call; or None."},
    {.name = NULL}};

static PyObject *value_object(const struct row *row, unsigned i)
{
    int64_t value;
    switch (rf_extra_value(row->held->rec, extra_of(row), i, &value)) {
    case RF_VALUE_NUMBER:
        return PyLong_FromLongLong(value);
    case RF_VALUE_STRING:
        return string_object(row->held, (uint32_t)value);
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
         dict != NULL && (name = rf_extra_value_name(extra_of(row)->kind, i)) != NULL; i++) {
        PyObject *value = value_object(row, i);
        if (value == NULL || PyDict_SetItemString(dict, rf_snake_case(name, buffer), value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

const PyGetSetDef extra_objects[] = {
    {"values", values_object, NULL,
     "dict: what else rows of its kind hold, by the names of the columns in nsys's databases\n"
     "('mem_kind' for memKind): int, str, or None.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};
