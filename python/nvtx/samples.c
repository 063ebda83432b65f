/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "forgive.h"
#include "number.h"
#include "numpy.h"
#include "threads.h"

static bool has_format(const Py_buffer *view, enum samples_type type)
{
    const char *format = view->format != NULL ? view->format : "B";
    if (*format == '@' || *format == '=')
        format++;
    if (type == SAMPLES_FLOAT64)
        return strcmp(format, "d") == 0;
    return view->itemsize == sizeof(int64_t) &&
           (strcmp(format, "l") == 0 || strcmp(format, "q") == 0);
}

/* Takes a buffer of the right type as it is. Returns whether it is one. */
static bool take_buffer(struct samples *samples, PyObject *values, enum samples_type type)
{
    if (!PyObject_CheckBuffer(values) ||
        PyObject_GetBuffer(values, &samples->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        samples->view.obj = NULL;
        return false;
    }
    if (!has_format(&samples->view, type)) {
        PyBuffer_Release(&samples->view);
        return false;
    }
    samples->data = samples->view.buf;
    samples->size = (size_t)samples->view.len;
    samples->n = samples->size / sizeof(int64_t);
    return true;
}

static int read_item(PyObject *item, enum samples_type type, void *value)
{
    return type == SAMPLES_FLOAT64 ? nvtx_float64(item, "values", value)
                                   : nvtx_int64(item, "values and timestamps", value);
}

static int read_list(struct samples *samples, PyObject *list, enum samples_type type)
{
    size_t n = (size_t)PySequence_Fast_GET_SIZE(list);
    int64_t *values = PyMem_Calloc(n + 1, sizeof(*values));
    int status = values != NULL ? 1 : 0;
    for (size_t i = 0; status > 0 && i < n && i < (size_t)PySequence_Fast_GET_SIZE(list); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(list, (Py_ssize_t)i));
        status = read_item(item, type, &values[i]);
        Py_DECREF(item);
    }
    if (status <= 0) {
        PyMem_Free(values);
        return status;
    }
    samples->data = samples->allocated = values;
    samples->n = n;
    samples->size = n * sizeof(*values);
    return 1;
}

/* An exception, for a warning. Returns 0, or -1 if it is not an Exception. */
static int say(PyObject *values)
{
    return nvtx_forgive() == 0
               ? nvtx_warn_type("values and timestamps", "numbers, or of the counter's dtype",
                                values, "left out")
               : -1;
}

static int read_iterable(struct samples *samples, PyObject *values, enum samples_type type)
{
    PyObject *sequence = PySequence_Fast(values, "");
    PyObject *list = sequence != NULL ? nvtx_steady(sequence) : NULL;
    Py_XDECREF(sequence);
    if (list == NULL)
        return say(values);
    int status = read_list(samples, list, type);
    Py_DECREF(list);
    return status;
}

/* Takes what NumPy makes of it. */
static int read_array(struct samples *samples, PyObject *values, PyObject *dtype)
{
    PyObject *array = nvtx_as_array(values, dtype);
    int status = array != NULL ? PyObject_GetBuffer(array, &samples->view, PyBUF_C_CONTIGUOUS) : -1;
    Py_XDECREF(array); /* the view has a reference */
    if (status != 0) {
        samples->view.obj = NULL;
        return say(values);
    }
    samples->data = samples->view.buf;
    samples->size = (size_t)samples->view.len;
    samples->n = samples->view.itemsize > 0 ? samples->size / (size_t)samples->view.itemsize : 0;
    return 1;
}

int nvtx_samples_read(struct samples *samples, PyObject *values, enum samples_type type,
                      PyObject *dtype)
{
    samples->view.obj = NULL;
    samples->allocated = NULL;
    if (type == SAMPLES_OF_DTYPE)
        return read_array(samples, values, dtype);
    if (take_buffer(samples, values, type))
        return 1;
    return read_iterable(samples, values, type);
}

void nvtx_samples_release(struct samples *samples)
{
    if (samples->view.obj != NULL)
        PyBuffer_Release(&samples->view);
    PyMem_Free(samples->allocated);
}
