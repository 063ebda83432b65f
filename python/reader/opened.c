/* SPDX-License-Identifier: Apache-2.0 */
/* _reader.Recording, around which rangefinder.Recording is written in Python. */
#include "opened.h"

#include <stdlib.h>
#include <string.h>

#include "clocks_dict.h"
#include "shared_recording.h"
#include "kind.h"
#include "kinds_report.h"
#include "python/threads/guard.h"
#include "raise.h"
#include "rows.h"
#include "with_python.h"

struct opened {
    PyObject ob_base;
    struct guard guard;          /* of recording */
    struct recording *recording; /* NULL: it was closed */
};

/* A reference to the recording, which another thread may close meanwhile. NULL with an exception.
 */
static struct recording *hold_recording(PyObject *self)
{
    struct opened *opened = (struct opened *)self;
    guard_lock(&opened->guard);
    struct recording *recording =
        opened->recording != NULL ? recording_retain(opened->recording) : NULL;
    guard_unlock(&opened->guard);
    if (recording == NULL)
        PyErr_SetString(PyExc_ValueError, "the recording is closed");
    return recording;
}

/* Releases what hold_recording() gave; returns the result. */
static PyObject *let_go(struct recording *recording, PyObject *result)
{
    recording_release(recording);
    return result;
}

static PyObject *new_opened(struct recording *recording)
{
    struct opened *opened = object_new(&opened_type);
    if (opened == NULL) {
        recording_release(recording);
        return NULL;
    }
    opened->guard = (struct guard){0};
    opened->recording = recording;
    return (PyObject *)opened;
}

/* Takes over rec. */
static PyObject *new_of_recording(rf_recording *rec, struct recording *base)
{
    struct recording *recording = recording_new(rec, base, false);
    if (recording != NULL)
        return new_opened(recording);
    rf_close(rec);
    return raise_no_memory();
}

static PyObject *opened_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *name_of[] = {"path", "salvage", NULL};
    PyObject *path;
    int salvage = 0, status;
    rf_recording *rec;
    struct rf_err err;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, names, "O&|p:Recording", name_of, PyUnicode_FSConverter,
                                     &path, &salvage))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_open(PyBytes_AS_STRING(path), salvage ? RF_OPEN_SALVAGE : 0, &rec, &err);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return status == RF_OK ? new_of_recording(rec, NULL) : raise_error(&err);
}

static PyObject *opened_close(PyObject *self, PyObject *ignored)
{
    struct opened *opened = (struct opened *)self;
    (void)ignored;
    guard_lock(&opened->guard);
    struct recording *recording = opened->recording;
    opened->recording = NULL;
    guard_unlock(&opened->guard);
    Py_BEGIN_ALLOW_THREADS;
    recording_release(recording);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static void opened_free(PyObject *self)
{
    recording_release(((struct opened *)self)->recording);
    PyObject_Free(self);
}

static PyObject *get_closed(PyObject *self, void *ignored)
{
    struct opened *opened = (struct opened *)self;
    (void)ignored;
    guard_lock(&opened->guard);
    const bool is_closed = opened->recording == NULL;
    guard_unlock(&opened->guard);
    return PyBool_FromLong(is_closed);
}

/* ---- Info ---- */

static const struct column info_columns[] = {
#define INFO(type, member)                                                                         \
    {                                                                                              \
#member, type, FIELD(struct rf_info, member)                                               \
    }
    INFO(PLAIN, path),
    INFO(PLAIN, product),
    INFO(PLAIN, host),
    INFO(INTEGER, epoch_utc_ns),
    INFO(INTEGER, epoch_mono_ns),
    INFO(INTEGER, epoch_boot_ns),
    INFO(INTEGER, utc_offset_s),
    INFO(PLAIN, clock_name),
    INFO(REAL, clock_hz),
    INFO(INTEGER, end_ns),
    INFO(COUNT, n_events),
    INFO(COUNT, n_ranges),
    INFO(COUNT, n_marks),
    INFO(COUNT, n_cut),
    INFO(COUNT, n_cut_at_start),
    INFO(COUNT, n_lost_records),
    INFO(COUNT, n_lost_about),
    INFO(COUNT, lost_bytes),
    INFO(COUNT, n_lost_parts),
    INFO(COUNT, n_lost_defs),
    INFO(COUNT, n_failed_processes),
    INFO(COUNT, n_stalls),
    INFO(COUNT, stall_ns),
    INFO(COUNT, n_unmatched_ends),
    INFO(COUNT, n_foreign_ends),
    INFO(COUNT, n_damaged_bytes),
    INFO(COUNT, n_bad_times),
    INFO(COUNT, n_time_calls),
    INFO(COUNT, n_memory_calls),
    INFO(COUNT, n_uncaptured),
    INFO(COUNT, n_cuda_dropped),
    INFO(COUNT, size_bytes),
    INFO(COUNT, expanded_bytes),
    INFO(FLAG, is_end_missing),
    INFO(FLAG, is_live),
    INFO(FLAG, was_live),
    INFO(FLAG, is_finished),
    INFO(FLAG, is_focused),
    INFO(FLAG, is_import),
    INFO(NUMBER, root_pid),
    INFO(INTEGER, root_signal),
    INFO(INTEGER, root_status),
    INFO(FLAG, is_root_ended),
    INFO(INDEX, rank),
    INFO(INDEX, local_rank),
    INFO(INDEX, world_size),
    INFO(PLAIN, ranks),
#undef INFO
};

/* The members of a structure at `at`, by their names. */
static PyObject *members_dict(const struct recording *recording, const void *at,
                              const struct column *columns, size_t n)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < n; i++) {
        const struct row row = {recording, at, 0, 0};
        dict_add(&dict, columns[i].name, column_get_object(&columns[i], &row));
    }
    return dict;
}

static PyObject *opened_info(PyObject *self, PyObject *ignored)
{
    struct recording *recording = hold_recording(self);
    (void)ignored;
    if (recording == NULL)
        return NULL;
    return let_go(recording, members_dict(recording, rf_get_info(recording->rec), info_columns,
                                          sizeof(info_columns) / sizeof(info_columns[0])));
}

static const struct column ring_columns[] = {
#define RING(type, member)                                                                         \
    {                                                                                              \
#member, type, FIELD(struct rf_ring_info, member)                                          \
    }
    RING(COUNT, size_bytes),     RING(INTEGER, keep_ns),      RING(COUNT, n_recycled),
    RING(COUNT, recycled_bytes), RING(INTEGER, kept_from_ns), RING(NUMBER, snapshot),
    RING(TIME, asked_ns),        RING(PLAIN, reason),         RING(PLAIN, rule),
    RING(TIME, value_ns),
#undef RING
};

static PyObject *opened_ring(PyObject *self, PyObject *ignored)
{
    struct recording *recording = hold_recording(self);
    const struct rf_ring_info *ring = recording != NULL ? rf_get_ring(recording->rec) : NULL;
    (void)ignored;
    if (recording == NULL)
        return NULL;
    if (ring == NULL)
        return let_go(recording, new_reference(Py_None));
    return let_go(recording, members_dict(recording, ring, ring_columns,
                                          sizeof(ring_columns) / sizeof(ring_columns[0])));
}

static PyObject *opened_messages(PyObject *self, PyObject *ignored)
{
    struct recording *recording = hold_recording(self);
    PyObject *list = recording != NULL ? PyList_New(0) : NULL;
    const char *message;
    (void)ignored;
    for (size_t i = 0; list != NULL && (message = rf_message_at(recording->rec, i)) != NULL; i++)
        list_add(&list, text_object(message, strlen(message)));
    return let_go(recording, list);
}

static PyObject *opened_clocks(PyObject *self, PyObject *ignored)
{
    struct recording *recording = hold_recording(self);
    (void)ignored;
    return recording != NULL ? let_go(recording, clocks_dict(recording->rec)) : NULL;
}

static PyObject *opened_skipped(PyObject *self, PyObject *ignored)
{
    struct recording *recording = hold_recording(self);
    PyObject *list = recording != NULL ? PyList_New(0) : NULL;
    const struct rf_skipped *skipped;
    (void)ignored;
    for (uint32_t i = 0; list != NULL && (skipped = rf_skipped_at(recording->rec, i)) != NULL;
         i++) {
        PyObject *table = text_object(skipped->table, strlen(skipped->table));
        PyObject *reason = text_object(skipped->reason, strlen(skipped->reason));
        /* takes over both, and is NULL where one of them is */
        list_add(&list, Py_BuildValue("(NNK)", table, reason, (unsigned long long)skipped->n_rows));
    }
    return let_go(recording, list);
}

/* ---- Rows ---- */

static PyObject *opened_rows(PyObject *self, PyObject *name)
{
    struct recording *recording = hold_recording(self);
    if (recording == NULL)
        return NULL;
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    for (int i = 0; text != NULL && i < N_KINDS; i++)
        if (i != REPORT && strcmp(kinds[i].name, text) == 0)
            return let_go(recording, rows_new(recording, &kinds[i], -1));
    return let_go(recording, PyErr_Occurred() ? NULL : kinds_raise_no_rows(name));
}

static PyObject *opened_report(PyObject *self, PyObject *args)
{
    struct rf_report_options of = RF_REPORT_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "spzzpzz:report", &of.report, &of.by_process, &of.group_by,
                          &of.quantiles, &of.fold_numbers, &of.step, &of.collective))
        return NULL;
    struct recording *recording = hold_recording(self);
    return recording != NULL ? let_go(recording, report_rows_new(recording, &of)) : NULL;
}

static PyObject *project(const struct recording *recording,
                         const struct rf_project_options *options)
{
    rf_projections *projections;
    struct rf_err err;
    int status;
    if (!options->by_process && !options->kernels_only)
        return rows_new(recording, &kinds[PROJECTIONS], -1); /* computed once */
    struct recording *part = recording_new(recording->rec, recording, true);
    if (part == NULL)
        return raise_no_memory();
    Py_BEGIN_ALLOW_THREADS;
    status = rf_project(part->rec, options, &projections, &err);
    Py_END_ALLOW_THREADS;
    part->projections = status == RF_OK ? projections : NULL;
    return let_go(part,
                  status == RF_OK ? rows_new(part, &kinds[PROJECTIONS], -1) : raise_error(&err));
}

static PyObject *opened_project(PyObject *self, PyObject *args)
{
    struct rf_project_options options = RF_PROJECT_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "pp:project", &options.by_process, &options.kernels_only))
        return NULL;
    struct recording *recording = hold_recording(self);
    return recording != NULL ? let_go(recording, project(recording, &options)) : NULL;
}

/* ---- Parts ---- */

/* The texts of a tuple, which stay its own; NULL after an exception. The caller frees the array. */
static const char **texts_of(PyObject *tuple, size_t *n)
{
    *n = (size_t)PyTuple_GET_SIZE(tuple);
    const char **text = calloc(*n + 1, sizeof(*text));
    if (text == NULL)
        (void)raise_no_memory();
    for (size_t i = 0; i < *n && text != NULL; i++) {
        text[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, (Py_ssize_t)i));
        if (text[i] == NULL) {
            free((void *)(uintptr_t)text);
            text = NULL;
        }
    }
    return text;
}

static PyObject *filter_with(PyObject *self, const struct rf_filter_options *options)
{
    rf_recording *rec;
    struct rf_err err;
    int status;
    struct recording *recording = hold_recording(self);
    if (recording == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_filter(recording->rec, options, &rec, &err);
    Py_END_ALLOW_THREADS;
    return let_go(recording,
                  status == RF_OK ? new_of_recording(rec, recording) : raise_error(&err));
}

static PyObject *opened_filter(PyObject *self, PyObject *args)
{
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    PyObject *payloads;
    if (!PyArg_ParseTuple(args, "zzzzzzzO!zz|p:filter", &options.time, &options.nvtx,
                          &options.processes, &options.gpus, &options.activities, &options.names,
                          &options.kernels, &PyTuple_Type, &payloads, &options.ranks,
                          &options.threads, &options.without_cut))
        return NULL;
    const char **text = texts_of(payloads, &options.n_payloads);
    if (text == NULL)
        return NULL;
    options.payloads = text;
    PyObject *filtered = filter_with(self, &options);
    free((void *)(uintptr_t)text);
    return filtered;
}

/* ---- Exports ---- */

/* Asked now and then, without the GIL: returns 1 to stop, with the exception that says why. */
static int report_progress(void *context, double done)
{
    PyObject *callback = context;
    PyGILState_STATE state = PyGILState_Ensure();
    int status = PyErr_CheckSignals();
    if (status == 0 && callback != Py_None) {
        PyObject *result = PyObject_CallFunction(callback, "d", done);
        status = result != NULL ? 0 : -1;
        Py_XDECREF(result);
    }
    PyGILState_Release(state);
    return status != 0;
}

static PyObject *opened_export(PyObject *self, PyObject *args)
{
    struct rf_export_options options = {.size = sizeof(options), .progress = report_progress};
    const struct rf_kineto_options kineto = {.size = sizeof(kineto), .rank = -1};
    PyObject *path, *callback;
    struct rf_err err;
    int status, is_kineto;
    if (!PyArg_ParseTuple(args, "O&spOppp:export", PyUnicode_FSConverter, &path, &options.format,
                          &options.can_overwrite, &callback, &is_kineto,
                          &options.tracks_by_category, &options.gpu_events))
        return NULL;
    options.kineto = is_kineto ? &kineto : NULL;
    struct recording *recording = hold_recording(self);
    if (recording == NULL) {
        Py_DECREF(path);
        return NULL;
    }
    options.output = PyBytes_AS_STRING(path);
    options.progress_context = callback;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_export(recording->rec, &options, &err);
    Py_END_ALLOW_THREADS;
    recording_release(recording);
    Py_DECREF(path);
    if (PyErr_Occurred()) /* of the callback, perhaps when all was done */
        return NULL;
    if (status != RF_OK)
        return raise_error(&err);
    Py_RETURN_NONE;
}

/* What is done with each of several recordings, without the GIL. */
typedef int (*take_recording)(void *to, const rf_recording *rec, const char *name,
                              struct rf_err *err);

static int add_to_export(void *to, const rf_recording *rec, const char *name, struct rf_err *err)
{
    return rf_merged_export_add(to, rec, name, -1, err);
}

/* input: a pair of an opened recording and its name. Returns 0, -1 with an exception, or an error
 * with err filled. */
static int take_input(take_recording take, void *to, PyObject *input, struct rf_err *err)
{
    PyObject *opened, *name;
    int status;
    if (!PyArg_ParseTuple(input, "O!O&:recording", &opened_type, &opened, PyUnicode_FSConverter,
                          &name))
        return -1;
    struct recording *recording = hold_recording(opened);
    if (recording == NULL) {
        Py_DECREF(name);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = take(to, recording->rec, PyBytes_AS_STRING(name), err);
    Py_END_ALLOW_THREADS;
    recording_release(recording);
    Py_DECREF(name);
    return PyErr_Occurred() != NULL ? -1 : status;
}

/* Takes what an iterable gives; the results are those of take_input(). */
static int take_inputs(take_recording take, void *to, PyObject *inputs, struct rf_err *err)
{
    PyObject *iterator = PyObject_GetIter(inputs), *input;
    int status = iterator != NULL ? 0 : -1;
    while (status == 0 && (input = PyIter_Next(iterator)) != NULL) {
        status = take_input(take, to, input, err);
        Py_DECREF(input);
    }
    Py_XDECREF(iterator);
    return status == 0 && PyErr_Occurred() ? -1 : status;
}

static int write_inputs(rf_merged_export *merged, PyObject *inputs, struct rf_err *err)
{
    int status = take_inputs(add_to_export, merged, inputs, err);
    if (status != 0)
        return status;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_merged_export_finish(merged, err);
    Py_END_ALLOW_THREADS;
    return PyErr_Occurred() != NULL ? -1 : status;
}

PyObject *opened_export_several(PyObject *module, PyObject *args)
{
    struct rf_export_options options = {.size = sizeof(options), .progress = report_progress};
    PyObject *inputs, *path, *callback;
    rf_merged_export *merged;
    struct rf_err err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO&spOpp:export", &inputs, PyUnicode_FSConverter, &path,
                          &options.format, &options.can_overwrite, &callback,
                          &options.tracks_by_category, &options.gpu_events))
        return NULL;
    options.output = PyBytes_AS_STRING(path);
    options.progress_context = callback;
    int status = rf_merged_export_new(&options, &merged, &err);
    if (status == RF_OK)
        status = write_inputs(merged, inputs, &err);
    rf_merged_export_free(merged);
    Py_DECREF(path);
    if (PyErr_Occurred())
        return NULL;
    if (status != RF_OK)
        return raise_error(&err);
    Py_RETURN_NONE;
}

/* ---- Clocks of several ---- */

struct aligning {
    rf_align *align;
    const char *anchor;
    bool has_anchor; /* a recording has it */
};

/* One without such ranges has its place by what else is known. */
static int add_to_align(void *to, const rf_recording *rec, const char *name, struct rf_err *err)
{
    struct aligning *a = to;
    (void)name;
    int status = rf_align_add_recording(a->align, rec, a->anchor, err);
    a->has_anchor |= status == RF_OK;
    return status == RF_ERR_NOT_FOUND && a->anchor != NULL
               ? rf_align_add_recording(a->align, rec, NULL, err)
               : status;
}

static PyObject *places(const rf_align *align)
{
    struct rf_alignment alignment = RF_ALIGNMENT_INIT;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && rf_align_at(align, i, &alignment) == RF_OK; i++)
        list_add(&list, alignment_dict(&alignment));
    return list;
}

PyObject *opened_align_several(PyObject *module, PyObject *args)
{
    struct aligning to = {.align = NULL};
    PyObject *inputs, *list = NULL;
    struct rf_err err;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oz:align", &inputs, &to.anchor))
        return NULL;
    int status = rf_align_new(&to.align, &err);
    if (status == RF_OK)
        status = take_inputs(add_to_align, &to, inputs, &err);
    if (status == RF_OK && to.anchor != NULL && !to.has_anchor) {
        PyErr_Format(PyExc_ValueError, "no recording has the range '%s'", to.anchor);
        status = -1;
    }
    if (status == RF_OK) {
        Py_BEGIN_ALLOW_THREADS;
        status = rf_align_solve(to.align, &err);
        Py_END_ALLOW_THREADS;
    }
    if (status == RF_OK)
        list = places(to.align);
    else if (!PyErr_Occurred())
        (void)raise_error(&err);
    rf_align_free(to.align);
    return list;
}

static PyMethodDef opened_methods[] = {{"close", opened_close, METH_NOARGS, NULL},
                                       {"info", opened_info, METH_NOARGS, NULL},
                                       {"ring", opened_ring, METH_NOARGS, NULL},
                                       {"clocks", opened_clocks, METH_NOARGS, NULL},
                                       {"messages", opened_messages, METH_NOARGS, NULL},
                                       {"skipped", opened_skipped, METH_NOARGS, NULL},
                                       {"rows", opened_rows, METH_O, NULL},
                                       {"report", opened_report, METH_VARARGS, NULL},
                                       {"project", opened_project, METH_VARARGS, NULL},
                                       {"filter", opened_filter, METH_VARARGS, NULL},
                                       {"export", opened_export, METH_VARARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyGetSetDef opened_values[] = {{"closed", get_closed, NULL, NULL, NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject opened_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_reader.Recording",
                            .tp_doc = PyDoc_STR("What rangefinder.Recording is written around."),
                            .tp_basicsize = sizeof(struct opened),
                            .tp_dealloc = opened_free,
                            .tp_flags = Py_TPFLAGS_DEFAULT,
                            .tp_new = opened_new,
                            .tp_methods = opened_methods,
                            .tp_getset = opened_values};
