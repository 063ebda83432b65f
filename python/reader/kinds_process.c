/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads, domains and captures. */
#include "shared_recording.h"
#include "kind.h"
#include "row.h"
#include "rows.h"
#include "with_python.h"

/* ---- Processes ---- */

static bool run_of_processes(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_process_at(recording->rec, 0), rf_n_processes(recording->rec));
}

static const struct column process_columns[] = {
    {"pid", NUMBER, PROCESS(pid), .doc = "int: in its own pid namespace."},
    {"ppid", NUMBER, PROCESS(ppid), .doc = "int: of its parent."},
    {"forked_from", INDEX, PROCESS(parent), .refers = PROCESSES,
     .doc = "Process: that it was forked from; None where that was not recorded."},
    {"name", TEXT, PROCESS(name), .doc = "str: file name of the executable."},
    {"exe", TEXT, PROCESS(exe), .doc = "str: path of the executable."},
    {"command", TEXT, PROCESS(command), .doc = "str: arguments, joined as a shell takes them."},
    {"cwd", TEXT, PROCESS(cwd), .doc = "str: working directory."},
    {"rank", INDEX, PROCESS(rank), .refers = N_KINDS,
     .doc = "int: in its job, as its launcher (torchrun, mpiexec, srun) or nsys says; None where "
            "that is not known, likewise below."},
    {"local_rank", INDEX, PROCESS(local_rank), .refers = N_KINDS,
     .doc = "int: among the processes of its machine."},
    {"world_size", INDEX, PROCESS(world_size), .refers = N_KINDS,
     .doc = "int: processes of the job."},
    {"start_ns", TIME, PROCESS(first_ns), .doc = "int: when its recording began."},
    {"exit_ns", TIME, PROCESS(exit_ns),
     .doc = "int: when it called exit or returned from main; None where it did not."},
    {"n_lost_records", COUNT, PROCESS(n_lost_records),
     .doc = "int: events that could not be recorded."},
    {.name = NULL}};

static PyObject *strings_object(const struct recording *recording, const uint32_t *ids, uint32_t n)
{
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < n; i++)
        list_add(&list, recording_string(recording, ids[i]));
    return list_to_tuple(list);
}

static PyObject *args_object(PyObject *self, void *ignored)
{
    const struct rf_process *process = row_of_object(self)->at;
    (void)ignored;
    return strings_object(row_of_object(self)->recording, process->args, process->n_args);
}

static PyObject *env_object(PyObject *self, void *ignored)
{
    const struct rf_process *process = row_of_object(self)->at;
    (void)ignored;
    return strings_object(row_of_object(self)->recording, process->env, process->n_env);
}

static PyObject *threads_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    PyObject *list = PyList_New(0);
    (void)ignored;
    for (uint32_t i = 0; list != NULL && i < rf_n_threads(row->recording->rec); i++)
        if (rf_thread_at(row->recording->rec, i)->process == row->index)
            list_add(&list, row_new_at(row->recording, THREADS, 0, i));
    return list;
}

static const PyGetSetDef process_objects[] = {
    {"args", args_object, NULL, "tuple of str: the arguments, from the program's name on.", NULL},
    {"env", env_object, NULL, "tuple of str: NAME=VALUE, of the variables that recordings keep.",
     NULL},
    {"threads", threads_object, NULL, "list of Thread.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind process_kind = {.name = "processes",
                                  .type_name = "rangefinder.recording.Process",
                                  .doc = "A program that ran in a process.",
                                  .columns = process_columns,
                                  .size = sizeof(struct rf_process),
                                  .run = run_of_processes,
                                  .objects = process_objects};

/* ---- Threads ---- */

static bool run_of_threads(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_thread_at(recording->rec, 0), rf_n_threads(recording->rec));
}

static const void *process_of_row(const struct row *row)
{
    return process_of_thread(row, row->index);
}

static const struct column thread_columns[] = {
    {"pid", NUMBER, PROCESS(pid), .of = process_of_row, .doc = "int: of its process."},
    {"tid", NUMBER, THREAD(tid), .doc = "int: as the system numbers it."},
    {"process", INDEX, THREAD(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"name", TEXT, THREAD(name), .doc = "str: what the program, or else the system, calls it."},
    {"is_named", FLAG, THREAD(is_named), .doc = "bool: whether the program gave the name."},
    {"start_ns", TIME, THREAD(first_ns), .doc = "int: its first event; None where it has none."},
    {"end_ns", TIME, THREAD(end_ns), .doc = "int: when it ended; None where that was not seen."},
    {"n_events", COUNT, THREAD(n_events), .doc = "int: how many it recorded."},
    {.name = NULL}};

static const PyGetSetDef thread_objects[] = {
    {"ranges", rows_of_run_object, NULL,
     "Rows of Range: those that it began, an enclosing one before what it encloses.",
     &kinds[RANGES]},
    {"marks", rows_of_run_object, NULL, "Rows of Mark.", &kinds[MARKS]},
    {"events", rows_of_run_object, NULL,
     "Rows of Event: ranges, marks and the calls that name or create.", &kinds[EVENTS]},
    {"calls", rows_of_run_object, NULL, "Rows of Call.", &kinds[CALLS]},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind thread_kind = {.name = "threads",
                                 .type_name = "rangefinder.recording.Thread",
                                 .doc = "A thread of a process.",
                                 .columns = thread_columns,
                                 .size = sizeof(struct rf_thread),
                                 .run = run_of_threads,
                                 .objects = thread_objects};

/* ---- Domains ---- */

static bool run_of_domains(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_domain_at(recording->rec, 0), rf_n_domains(recording->rec));
}

#define DOMAIN(member) FIELD(struct rf_domain, member)

static const struct column domain_columns[] = {
    {"name", TEXT, .get = get_domain_name, .none_text = DEFAULT_DOMAIN,
     .doc = "str: 'NVTX' is the default domain, which has no name of its own."},
    {"id", NUMBER, DOMAIN(id), .doc = "int: 0 is the default domain of its process."},
    {"process", INDEX, DOMAIN(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"is_valid", FLAG, DOMAIN(is_valid),
     .doc = "bool: False where the program used a handle that it was never given."},
    {"handle", COUNT, DOMAIN(handle), .doc = "int: that handle; otherwise 0."},
    {.name = NULL}};

const struct kind domain_kind = {.name = "domains",
                                 .type_name = "rangefinder.recording.Domain",
                                 .doc = "A domain of a process.",
                                 .columns = domain_columns,
                                 .size = sizeof(struct rf_domain),
                                 .run = run_of_domains};

/* ---- Captures ---- */

static bool run_of_captures(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_capture_at(recording->rec, 0), rf_n_captures(recording->rec));
}

#define CAPTURE(member) FIELD(struct rf_capture_info, member)

static const struct column capture_columns[] = {
    {"number", NUMBER, CAPTURE(number), .doc = "int: in its run, from 1."},
    {"start_ns", TIME, CAPTURE(begin_ns), .doc = "int: nanoseconds after time 0."},
    {"end_ns", TIME, CAPTURE(end_ns), .doc = "int: nanoseconds after time 0."},
    {"duration_ns", TIME, CAPTURE(begin_ns), .get = get_duration, .doc = "int: nanoseconds."},
    {"is_open", FLAG, CAPTURE(is_open), .doc = "bool: whether it had not ended."},
    {.name = NULL}};

const struct kind capture_kind = {.name = "captures",
                                  .type_name = "rangefinder.recording.Capture",
                                  .doc = "A capture of a focused recording.",
                                  .columns = capture_columns,
                                  .size = sizeof(struct rf_capture_info),
                                  .run = run_of_captures};
