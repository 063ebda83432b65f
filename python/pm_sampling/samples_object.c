/* SPDX-License-Identifier: Apache-2.0 */
/* _pm_sampling.Samples: counter data. As a buffer it is its image. */
#include "samples_object.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "python/threads/guard.h"
#include "raise_pm_error.h"
#include "sampling_arguments.h"

/* Samples that are evaluated at a stretch, before signals are checked. */
#define BLOCK 256

struct samples {
    PyObject ob_base;
    struct guard guard; /* of changing the rest, in a forked child */
    _Atomic(rf_pm_data *) data;
    _Atomic(pid_t) pid; /* CUPTI's objects belong to this process */
};

static const struct rf_pm_data_info *info_of(PyObject *self)
{
    return rf_pm_data_get_info(((struct samples *)self)->data);
}

PyObject *samples_object(rf_pm_data *data)
{
    struct samples *self = PyObject_New(struct samples, &samples_type);
    if (self == NULL) {
        rf_pm_data_free(data);
        return NULL;
    }
    self->guard = (struct guard){0};
    atomic_init(&self->data, data);
    atomic_init(&self->pid, getpid());
    return (PyObject *)self;
}

static void samples_dealloc(PyObject *object)
{
    struct samples *self = (struct samples *)object;
    if (self->pid ==
        getpid()) /* in a forked child CUPTI is not called; the memory stays allocated */
        rf_pm_data_free(self->data);
    PyObject_Free(self);
}

/* Gives the parent's data to CUPTI anew, as a copy; the parent's objects are left alone. */
static int copy_data(struct samples *self, struct rf_pm_error *err)
{
    void *bytes;
    size_t size;
    rf_pm_data *copy;
    int status = rf_pm_data_serialise(self->data, &bytes, &size, err);
    if (status == RF_PM_OK) {
        status = rf_pm_data_deserialise(bytes, size, &copy, err);
        free(bytes);
    }
    if (status == RF_PM_OK) {
        self->data = copy;
        self->pid = getpid(); /* whoever sees it sees the copy */
    }
    return status;
}

/* What is needed in a forked child before CUPTI is asked of the data. Returns 0, or -1 with an
 * exception. */
static int become_own(struct samples *self)
{
    struct rf_pm_error err;
    int status = RF_PM_OK;
    if (self->pid == getpid())
        return 0;
    guard_lock(&self->guard);
    if (self->pid != getpid()) /* another thread may have been here */
        status = copy_data(self, &err);
    guard_unlock(&self->guard);
    if (status < 0)
        (void)raise_pm_error(&err);
    return status < 0 ? -1 : 0;
}

/* ---- Making ---- */

static PyObject *deserialise(PyObject *type, PyObject *bytes)
{
    Py_buffer view;
    rf_pm_data *data;
    struct rf_pm_error err;
    int status;
    (void)type;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_data_deserialise(view.buf, (size_t)view.len, &data, &err);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&view);
    return status < 0 ? raise_pm_error(&err) : samples_object(data);
}

/* The numbers of a sequence; n: how many there are to be. PyMem_Free() it. */
static uint64_t *read_times(PyObject *sequence, const char *what, size_t n)
{
    PyObject *items = PySequence_Tuple(sequence);
    uint64_t *times = NULL;
    if (items == NULL)
        return NULL;
    if ((size_t)PyTuple_GET_SIZE(items) != n)
        PyErr_Format(PyExc_ValueError, "%s has %zd times: there are %zu completed samples", what,
                     PyTuple_GET_SIZE(items), n);
    else if ((times = PyMem_Calloc(n + 1, sizeof(*times))) == NULL)
        (void)PyErr_NoMemory();
    for (size_t i = 0; times != NULL && i < n; i++) {
        if (number_argument(PyTuple_GET_ITEM(items, (Py_ssize_t)i), what, UINT64_MAX, &times[i]) !=
            0) {
            PyMem_Free(times);
            times = NULL;
        }
    }
    Py_DECREF(items);
    return times;
}

static int read_counts(PyObject *const counts[3], struct rf_pm_data_info *info)
{
    uint64_t total, populated, completed;
    if (number_argument(counts[0], "num_total_samples", SIZE_MAX, &total) != 0 ||
        number_argument(counts[1], "num_populated_samples", SIZE_MAX, &populated) != 0 ||
        number_argument(counts[2], "num_completed_samples", SIZE_MAX, &completed) != 0)
        return -1;
    info->n_total = (size_t)total;
    info->n_populated = (size_t)populated;
    info->n_completed = (size_t)completed;
    return 0;
}

static PyObject *make(const struct rf_pm_data_info *info, const Py_buffer *image, bool is_trusted)
{
    rf_pm_data *data;
    struct rf_pm_error err;
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = (is_trusted ? rf_pm_data_new_trusted
                         : rf_pm_data_new)(info, image->buf, (size_t)image->len, &data, &err);
    Py_END_ALLOW_THREADS;
    return status < 0 ? raise_pm_error(&err) : samples_object(data);
}

/* image, metrics, chip_name, the three numbers, start_timestamps, end_timestamps, trusted */
static PyObject *samples_new(PyTypeObject *type, PyObject *args, PyObject *unused)
{
    Py_buffer image;
    PyObject *list, *chip, *counts[3], *starts, *ends, *made = NULL;
    struct names metrics = {.items = NULL};
    struct rf_pm_data_info info = RF_PM_DATA_INFO_INIT;
    uint64_t *start_ns = NULL, *end_ns = NULL;
    int is_trusted;
    (void)type;
    (void)unused;
    if (!PyArg_ParseTuple(args, "y*OOOOOOOp:Samples", &image, &list, &chip, &counts[0], &counts[1],
                          &counts[2], &starts, &ends, &is_trusted))
        return NULL;
    if ((info.chip = name_argument(chip, "chip_name")) != NULL && read_counts(counts, &info) == 0 &&
        names_init(&metrics, list, "metrics") == 0 &&
        (start_ns = read_times(starts, "start_timestamps", info.n_completed)) != NULL &&
        (end_ns = read_times(ends, "end_timestamps", info.n_completed)) != NULL) {
        info.metrics = metrics.name;
        info.n_metrics = metrics.n;
        info.start_ns = start_ns;
        info.end_ns = end_ns;
        made = make(&info, &image, is_trusted != 0);
    }
    PyMem_Free(start_ns);
    PyMem_Free(end_ns);
    names_release(&metrics);
    PyBuffer_Release(&image);
    return made;
}

/* ---- Bytes ---- */

static PyObject *samples_serialise(PyObject *self, PyObject *ignored)
{
    void *bytes;
    size_t size;
    struct rf_pm_error err;
    int status;
    (void)ignored;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_data_serialise(((struct samples *)self)->data, &bytes, &size, &err);
    Py_END_ALLOW_THREADS;
    if (status < 0)
        return raise_pm_error(&err);
    PyObject *object = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    free(bytes);
    return object;
}

static int samples_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const uint8_t *image;
    size_t size;
    view->obj = NULL;
    if (become_own((struct samples *)self) != 0)
        return -1;
    rf_pm_data *data = ((struct samples *)self)->data;
    Py_BEGIN_ALLOW_THREADS; /* sealed at first use */
    image = rf_pm_data_image(data, &size);
    Py_END_ALLOW_THREADS;
    return PyBuffer_FillInfo(view, self, (void *)(uintptr_t)image, (Py_ssize_t)size, 1, flags);
}

/* ---- Values ---- */

static int evaluate(const struct samples *self, size_t first, size_t n, double *values)
{
    struct rf_pm_error err;
    int status = RF_PM_OK;
    size_t n_metrics = rf_pm_data_get_info(self->data)->n_metrics;
    for (size_t i = 0; i < n && status == RF_PM_OK; i += BLOCK) {
        size_t n_block = n - i < BLOCK ? n - i : BLOCK;
        Py_BEGIN_ALLOW_THREADS;
        status = rf_pm_data_evaluate(self->data, first + i, n_block, values + i * n_metrics, &err);
        Py_END_ALLOW_THREADS;
        if (status == RF_PM_OK && PyErr_CheckSignals() != 0)
            return -1;
    }
    if (status != RF_PM_OK)
        (void)raise_pm_error(&err);
    return status == RF_PM_OK ? 0 : -1;
}

/* values(first, n) -> bytearray of n times n_metrics doubles */
static PyObject *samples_values(PyObject *object, PyObject *args)
{
    struct samples *self = (struct samples *)object;
    const struct rf_pm_data_info *info = info_of(object);
    Py_ssize_t first, n;
    if (!PyArg_ParseTuple(args, "nn:values", &first, &n))
        return NULL;
    if (first < 0 || n < 0 || (size_t)first > info->n_completed ||
        (size_t)n > info->n_completed - (size_t)first) {
        PyErr_SetString(PyExc_IndexError, "sample index out of range");
        return NULL;
    }
    if ((size_t)n > PY_SSIZE_T_MAX / sizeof(double) / info->n_metrics)
        return PyErr_NoMemory();
    if (become_own(self) != 0)
        return NULL;
    PyObject *bytes = PyByteArray_FromStringAndSize(
        NULL, (Py_ssize_t)((size_t)n * info->n_metrics * sizeof(double)));
    if (bytes != NULL && evaluate(self, (size_t)first, (size_t)n,
                                  (double *)(void *)PyByteArray_AS_STRING(bytes)) != 0)
        Py_CLEAR(bytes);
    return bytes;
}

/* ---- Facts that need no values ---- */

static PyObject *list_of_times(const uint64_t *times, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *time = PyLong_FromUnsignedLongLong(times[i]);
        if (time != NULL)
            PyList_SET_ITEM(list, (Py_ssize_t)i, time);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *samples_starts(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return list_of_times(info_of(self)->start_ns, info_of(self)->n_completed);
}

static PyObject *samples_ends(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return list_of_times(info_of(self)->end_ns, info_of(self)->n_completed);
}

/* (start, end) of a sample */
static PyObject *samples_time(PyObject *self, PyObject *index)
{
    const struct rf_pm_data_info *info = info_of(self);
    uint64_t i;
    if (number_argument(index, "index", SIZE_MAX, &i) != 0)
        return NULL;
    if (i >= info->n_completed) {
        PyErr_SetString(PyExc_IndexError, "sample index out of range");
        return NULL;
    }
    return Py_BuildValue("(KK)", (unsigned long long)info->start_ns[i],
                         (unsigned long long)info->end_ns[i]);
}

/* (chip, single-pass set, metrics, total, populated, completed, CUPTI's version, stop reason,
 * overflow, first) */
static PyObject *samples_info(PyObject *self, PyObject *ignored)
{
    const struct rf_pm_data_info *info = info_of(self);
    (void)ignored;
    return Py_BuildValue("(szNnnnIiOO)", info->chip, info->single_pass_set,
                         list_of_names(info->metrics, info->n_metrics), (Py_ssize_t)info->n_total,
                         (Py_ssize_t)info->n_populated, (Py_ssize_t)info->n_completed,
                         (unsigned)info->cupti_version, info->stop_reason,
                         info->is_overflow ? Py_True : Py_False,
                         info->is_first ? Py_True : Py_False);
}

static PyMethodDef samples_methods[] = {{"deserialise", deserialise, METH_O | METH_CLASS, NULL},
                                        {"serialise", samples_serialise, METH_NOARGS, NULL},
                                        {"values", samples_values, METH_VARARGS, NULL},
                                        {"starts", samples_starts, METH_NOARGS, NULL},
                                        {"ends", samples_ends, METH_NOARGS, NULL},
                                        {"time", samples_time, METH_O, NULL},
                                        {"info", samples_info, METH_NOARGS, NULL},
                                        {NULL, NULL, 0, NULL}};

static PyBufferProcs samples_buffer = {.bf_getbuffer = samples_get_buffer};

PyTypeObject samples_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder._pm_sampling.Samples",
    .tp_basicsize = sizeof(struct samples),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = samples_new,
    .tp_dealloc = samples_dealloc,
    .tp_methods = samples_methods,
    .tp_as_buffer = &samples_buffer,
};
