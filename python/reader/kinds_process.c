/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_process.h"

#include "kind.h"
#include "python_text.h"
#include "row.h"
#include "rows.h"

/* ---- Which rows there are ---- */

int run_of_processes(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_process_at(held->rec, 0), rf_n_processes(held->rec)};
    return i == 0;
}

int run_of_threads(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_thread_at(held->rec, 0), rf_n_threads(held->rec)};
    return i == 0;
}

int run_of_domains(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_domain_at(held->rec, 0), rf_n_domains(held->rec)};
    return i == 0;
}

int run_of_captures(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_capture_at(held->rec, 0), rf_n_captures(held->rec)};
    return i == 0;
}

/* ---- Processes ---- */

#define PROCESS(member) FIELD(struct rf_process, member)

const struct column process_columns[] = {
    {"pid", NUMBER, PROCESS(pid), .doc = "int: in its own pid namespace."},
    {"ppid", NUMBER, PROCESS(ppid), .doc = "int: of its parent."},
    {"forked_from", INDEX, PROCESS(parent), .refers = PROCESSES,
     .doc = "Process: that it was forked from; None where that was not recorded."},
    {"name", TEXT, PROCESS(name), .doc = "str: file name of the executable."},
    {"exe", TEXT, PROCESS(exe), .doc = "str: path of the executable."},
    {"command", TEXT, PROCESS(command), .doc = "str: arguments, joined as a shell takes them."},
    {"cwd", TEXT, PROCESS(cwd), .doc = "str: working directory."},
    {"start_ns", TIME, PROCESS(first_ns), .doc = "int: when its recording began."},
    {"exit_ns", TIME, PROCESS(exit_ns),
     .doc = "int: when it called exit or returned from main; None where it did not."},
    {"n_lost_records", COUNT, PROCESS(n_lost_records),
     .doc = "int: events that could not be recorded."},
    {.name = NULL}};

static PyObject *strings_object(const struct held *held, const uint32_t *ids, uint32_t n)
{
    PyObject *list = PyTuple_New(n);
    for (uint32_t i = 0; list != NULL && i < n; i++) {
        PyObject *string = string_object(held, ids[i]);
        if (string == NULL)
            Py_CLEAR(list);
        else
            PyTuple_SET_ITEM(list, i, string);
    }
    return list;
}

static PyObject *args_object(PyObject *self, void *ignored)
{
    const struct rf_process *process = row_of_object(self)->at;
    (void)ignored;
    return strings_object(row_of_object(self)->held, process->args, process->n_args);
}

static PyObject *env_object(PyObject *self, void *ignored)
{
    const struct rf_process *process = row_of_object(self)->at;
    (void)ignored;
    return strings_object(row_of_object(self)->held, process->env, process->n_env);
}

static PyObject *threads_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    PyObject *list = PyList_New(0);
    (void)ignored;
    for (uint32_t i = 0; list != NULL && i < rf_n_threads(row->held->rec); i++) {
        if (rf_thread_at(row->held->rec, i)->process != row->index)
            continue;
        PyObject *thread = row_new_at(row->held, THREADS, 0, i);
        if (thread == NULL || PyList_Append(list, thread) != 0)
            Py_CLEAR(list);
        Py_XDECREF(thread);
    }
    return list;
}

const PyGetSetDef process_objects[] = {
    {"args", args_object, NULL, "tuple of str: the arguments, from the program's name on.", NULL},
    {"env", env_object, NULL, "tuple of str: NAME=VALUE, of the variables that recordings keep.",
     NULL},
    {"threads", threads_object, NULL, "list of Thread.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* ---- Threads ---- */

#define THREAD(member) FIELD(struct rf_thread, member)

static int get_pid_of_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_pid(row, ((const struct rf_thread *)row->at)->process, value);
}

const struct column thread_columns[] = {
    {"pid", NUMBER, .get = get_pid_of_thread, .doc = "int: of its process."},
    {"tid", NUMBER, THREAD(tid), .doc = "int: as the system numbers it."},
    {"process", INDEX, THREAD(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"name", TEXT, THREAD(name), .doc = "str: what the program, or else the system, calls it."},
    {"is_named", FLAG, THREAD(is_named), .doc = "bool: whether the program gave the name."},
    {"start_ns", TIME, THREAD(first_ns), .doc = "int: its first event; None where it has none."},
    {"end_ns", TIME, THREAD(end_ns), .doc = "int: when it ended; None where that was not seen."},
    {"n_events", COUNT, THREAD(n_events), .doc = "int: how many it recorded."},
    {.name = NULL}};

static PyObject *rows_of_run(PyObject *self, enum kind_id kind)
{
    const struct row *row = row_of_object(self);
    return rows_new(row->held, &kinds[kind], row->index);
}

static PyObject *ranges_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_of_run(self, RANGES);
}

static PyObject *marks_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_of_run(self, MARKS);
}

static PyObject *events_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_of_run(self, EVENTS);
}

static PyObject *calls_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_of_run(self, CALLS);
}

const PyGetSetDef thread_objects[] = {
    {"ranges", ranges_object, NULL,
     "Rows of Range: those that it began, an enclosing one before what it encloses.", NULL},
    {"marks", marks_object, NULL, "Rows of Mark.", NULL},
    {"events", events_object, NULL,
     "Rows of Event: ranges, marks and the calls that name or create.", NULL},
    {"calls", calls_object, NULL, "Rows of Call.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* ---- Domains and captures ---- */

#define DOMAIN(member)  FIELD(struct rf_domain, member)
#define CAPTURE(member) FIELD(struct rf_capture_info, member)

static int get_domain_name(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_domain(row, row->index, value);
}

const struct column domain_columns[] = {
    {"name", TEXT, .get = get_domain_name, .none_text = DEFAULT_DOMAIN,
     .doc = "str: 'NVTX' is the default domain, which has no name of its own."},
    {"id", NUMBER, DOMAIN(id), .doc = "int: 0 is the default domain of its process."},
    {"process", INDEX, DOMAIN(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"is_valid", FLAG, DOMAIN(is_valid),
     .doc = "bool: False where the program used a handle that it was never given."},
    {"handle", COUNT, DOMAIN(handle), .doc = "int: that handle; otherwise 0."},
    {.name = NULL}};

static int get_capture_duration(const struct column *column, const struct row *row,
                                union value *value)
{
    const struct rf_capture_info *capture = row->at;
    (void)column;
    value_set_duration(value, capture->begin_ns, capture->end_ns);
    return 1;
}

const struct column capture_columns[] = {
    {"number", NUMBER, CAPTURE(number), .doc = "int: in its run, from 1."},
    {"start_ns", TIME, CAPTURE(begin_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, CAPTURE(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, .get = get_capture_duration, .doc = "int: nanoseconds."},
    {"is_open", FLAG, CAPTURE(is_open), .doc = "bool: whether it had not ended."},
    {.name = NULL}};
