/* SPDX-License-Identifier: Apache-2.0 */
#include "session_object.h"

#include <stdbool.h>

#include "chip_functions.h"
#include "raise_pm_error.h"
#include "samples_object.h"
#include "sampling_arguments.h"

/* _pm_sampling.Session: a collector. */

struct session {
    PyObject ob_base;
    rf_pm_collector *collector;
};

static rf_pm_collector *collector_of(PyObject *self)
{
    return ((struct session *)self)->collector;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *index;
    uint64_t device;
    struct rf_pm_error err;
    (void)names;
    if (!PyArg_ParseTuple(args, "O:Session", &index) ||
        number_argument(index, "device_index", SIZE_MAX, &device) != 0)
        return NULL;
    struct session *self = (struct session *)type->tp_alloc(type, 0);
    if (self != NULL && rf_pm_collector_new((size_t)device, &self->collector, &err) < 0) {
        Py_CLEAR(self);
        return raise_pm_error(&err);
    }
    return (PyObject *)self;
}

static void session_dealloc(PyObject *self)
{
    rf_pm_collector *collector = collector_of(self);
    Py_BEGIN_ALLOW_THREADS;
    rf_pm_collector_free(collector);
    Py_END_ALLOW_THREADS;
    Py_TYPE(self)->tp_free(self);
}

/* A function whose only argument is a collector. */
static PyObject *call(PyObject *self, int (*function)(rf_pm_collector *, struct rf_pm_error *))
{
    struct rf_pm_error err;
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = function(collector_of(self), &err);
    Py_END_ALLOW_THREADS;
    if (status < 0)
        return raise_pm_error(&err);
    Py_RETURN_NONE;
}

static PyObject *session_enable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call(self, rf_pm_collector_enable);
}

static PyObject *session_start(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call(self, rf_pm_collector_start);
}

static PyObject *session_stop(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call(self, rf_pm_collector_stop);
}

static PyObject *session_restart(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call(self, rf_pm_collector_restart);
}

static PyObject *session_disable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call(self, rf_pm_collector_disable);
}

/* After an argument was refused: whether the argument is the reason. A collector that is not
 * enabled refuses all, and the library says so. */
static bool is_enabled(PyObject *self)
{
    struct rf_pm_collector_state state = RF_PM_COLLECTOR_STATE_INIT;
    (void)rf_pm_collector_get_state(collector_of(self), &state);
    if (!state.is_enabled)
        PyErr_Clear();
    return state.is_enabled;
}

static int mode_argument(PyObject *number, const char *what, int *out)
{
    uint64_t mode;
    if (number_argument(number, what, INT32_MAX, &mode) != 0)
        return -1;
    *out = (int)mode;
    return 0;
}

/* metrics, hardware_buffer_size, sampling_interval, trigger_mode, hw_buffer_append_mode, set */
static int read_config(PyObject *args, struct names *metrics, struct rf_pm_config *config)
{
    PyObject *list, *buffer, *interval, *trigger, *append, *set;
    uint64_t buffer_bytes;
    if (!PyArg_ParseTuple(args, "OOOOOO:configure", &list, &buffer, &interval, &trigger, &append,
                          &set) ||
        number_argument(buffer, "hardware_buffer_size", SIZE_MAX, &buffer_bytes) != 0 ||
        number_argument(interval, "sampling_interval", UINT64_MAX, &config->interval) != 0 ||
        mode_argument(trigger, "trigger_mode", &config->trigger) != 0 ||
        mode_argument(append, "hw_buffer_append_mode", &config->append) != 0)
        return -1;
    config->hardware_buffer_bytes = (size_t)buffer_bytes;
    if (set != Py_None) {
        config->single_pass_set = name_argument(set, "single_pass_metric_set_name");
        if (config->single_pass_set == NULL)
            return -1;
    }
    if (names_init(metrics, list, "metrics") != 0)
        return -1;
    config->metrics = metrics->name;
    config->n_metrics = metrics->n;
    return 0;
}

static PyObject *session_configure(PyObject *self, PyObject *args)
{
    struct names metrics = {.items = NULL};
    struct rf_pm_config config = RF_PM_CONFIG_INIT;
    struct rf_pm_error err;
    int status;
    if (read_config(args, &metrics, &config) != 0 && is_enabled(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_collector_configure(collector_of(self), &config, &err);
    Py_END_ALLOW_THREADS;
    names_release(&metrics);
    if (status < 0)
        return raise_pm_error(&err);
    Py_RETURN_NONE;
}

static PyObject *session_decode(PyObject *self, PyObject *number)
{
    uint64_t max_samples = 0;
    rf_pm_data *data;
    struct rf_pm_error err;
    int status;
    if (number_argument(number, "max_samples", UINT32_MAX, &max_samples) != 0 && is_enabled(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_collector_decode(collector_of(self), (uint32_t)max_samples, &data, &err);
    Py_END_ALLOW_THREADS;
    return status < 0 ? raise_pm_error(&err) : samples_object(data);
}

/* choose(metric set or None) -> metrics that this GPU has */
static PyObject *session_choose(PyObject *self, PyObject *name)
{
    rf_pm_chip *chip;
    struct rf_pm_error err;
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_collector_open_chip(collector_of(self), &chip, &err);
    Py_END_ALLOW_THREADS;
    if (status < 0)
        return raise_pm_error(&err);
    PyObject *result = choose_for(chip, name, &status, &err);
    rf_pm_chip_close(chip);
    return status < 0 ? raise_pm_error(&err) : result;
}

/* (is_enabled, chip) */
static PyObject *session_state(PyObject *self, PyObject *ignored)
{
    struct rf_pm_collector_state state = RF_PM_COLLECTOR_STATE_INIT;
    (void)ignored;
    Py_BEGIN_ALLOW_THREADS; /* a decode may be under way */
    (void)rf_pm_collector_get_state(collector_of(self), &state);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("(Os)", state.is_enabled ? Py_True : Py_False, state.chip);
}

static PyMethodDef session_methods[] = {{"enable", session_enable, METH_NOARGS, NULL},
                                        {"configure", session_configure, METH_VARARGS, NULL},
                                        {"choose", session_choose, METH_O, NULL},
                                        {"start", session_start, METH_NOARGS, NULL},
                                        {"stop", session_stop, METH_NOARGS, NULL},
                                        {"restart", session_restart, METH_NOARGS, NULL},
                                        {"decode", session_decode, METH_O, NULL},
                                        {"disable", session_disable, METH_NOARGS, NULL},
                                        {"state", session_state, METH_NOARGS, NULL},
                                        {NULL, NULL, 0, NULL}};

PyTypeObject session_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder._pm_sampling.Session",
    .tp_basicsize = sizeof(struct session),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = session_new,
    .tp_dealloc = session_dealloc,
    .tp_methods = session_methods,
};
