/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of _pm_sampling: chips, their metrics, sets. No GPU is needed. */
#include "chip_functions.h"

#include <string.h>

#include "pmsampling/pm_chip.h"
#include "raise_pm_error.h"
#include "sampling_arguments.h"

/* A task that works on an opened chip and fills in a result or an error. */
struct task {
    const char *name; /* of the chip */
    rf_pm_chip *chip;
    struct rf_pm_error err;
};

/* Opens a chip; sets an exception on failure. The first one in a process takes half a second. */
static int task_open(struct task *task, PyObject *chip)
{
    int status;
    task->chip = NULL;
    task->name = name_argument(chip, "chip");
    if (task->name == NULL)
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_chip_open(task->name, &task->chip, &task->err);
    Py_END_ALLOW_THREADS;
    if (status == RF_PM_OK)
        return 0;
    (void)raise_pm_error(&task->err);
    return -1;
}

/* Takes over result; raises the task's error if there is no result. */
static PyObject *task_close(struct task *task, int status, PyObject *result)
{
    Py_BEGIN_ALLOW_THREADS;
    rf_pm_chip_close(task->chip);
    Py_END_ALLOW_THREADS;
    return status < 0 ? raise_pm_error(&task->err) : result;
}

static PyObject *list_chips(PyObject *module, PyObject *ignored)
{
    const char *const *names;
    size_t n;
    struct rf_pm_error err;
    int status;
    (void)module;
    (void)ignored;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_chips(&names, &n, &err);
    Py_END_ALLOW_THREADS;
    return status < 0 ? raise_pm_error(&err) : list_of_names(names, n);
}

static PyObject *names_of_metrics(const struct rf_pm_metric *metrics, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        list_add_name(&list, metrics[i].name);
    return list;
}

static PyObject *list_metrics(PyObject *module, PyObject *chip)
{
    struct task task;
    const struct rf_pm_metric *metrics;
    size_t n;
    int status;
    (void)module;
    if (task_open(&task, chip) != 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_chip_metrics(task.chip, &metrics, &n, &task.err);
    Py_END_ALLOW_THREADS;
    return task_close(&task, status, status < 0 ? NULL : names_of_metrics(metrics, n));
}

/* describe(metric, chip) -> (name, type, description, hw_unit, unit, submetrics) */
static PyObject *describe(PyObject *module, PyObject *args)
{
    struct task task;
    struct rf_pm_metric found;
    const char *const *submetrics;
    PyObject *metric, *chip, *result = NULL;
    const char *name;
    size_t n;
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:describe", &metric, &chip) ||
        (name = name_argument(metric, "metric")) == NULL || task_open(&task, chip) != 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_pm_chip_describe(task.chip, name, &found, &task.err);
    if (status == RF_PM_OK)
        status = rf_pm_chip_submetrics(task.chip, name, &submetrics, &n, &task.err);
    Py_END_ALLOW_THREADS;
    if (status == RF_PM_OK)
        result = Py_BuildValue("(sisssN)", found.name, found.type, found.description, found.hw_unit,
                               found.unit, list_of_names(submetrics, n));
    return task_close(&task, status, result);
}

static int count_passes(rf_pm_chip *chip, const struct names *metrics, const char *set, size_t *n,
                        struct rf_pm_error *err)
{
    struct rf_pm_check *check;
    int status = rf_pm_check_new(chip, metrics->name, metrics->n, set, &check, err);
    if (status != RF_PM_OK)
        return status;
    *n = check->n_passes;
    if (check->n_unknown > 0) {
        (void)pthread_mutex_lock(&chip->lock);
        status = pm_chip_fail_unknown(chip, metrics->name, check->fit, check->n, err);
        (void)pthread_mutex_unlock(&chip->lock);
    }
    rf_pm_check_free(check);
    return status;
}

/* passes(metrics, chip, single-pass set or None) */
static PyObject *passes(PyObject *module, PyObject *args)
{
    struct task task;
    struct names metrics;
    PyObject *list, *chip, *set, *result = NULL;
    const char *set_name = NULL;
    size_t n = 0;
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:passes", &list, &chip, &set) ||
        (set != Py_None && (set_name = name_argument(set, "single_pass_metric_set_name")) == NULL))
        return NULL;
    if (names_init(&metrics, list, "metrics") != 0)
        return NULL;
    if (task_open(&task, chip) == 0) {
        Py_BEGIN_ALLOW_THREADS;
        status = count_passes(task.chip, &metrics, set_name, &n, &task.err);
        Py_END_ALLOW_THREADS;
        result = task_close(&task, status, status < 0 ? NULL : PyLong_FromSize_t(n));
    }
    names_release(&metrics);
    return result;
}

/* ---- Sets ---- */

static PyObject *describe_set(const struct rf_pm_set *set)
{
    PyObject *chips, *metrics = PyList_New(0);
    size_t n_chips = 0;
    for (size_t i = 0; metrics != NULL && i < set->n_metrics; i++) {
        const struct rf_pm_set_metric *m = &set->metrics[i];
        PyObject *item = Py_BuildValue("(sss)", m->metric, m->label, m->description);
        if (item == NULL || PyList_Append(metrics, item) != 0)
            Py_CLEAR(metrics);
        Py_XDECREF(item);
    }
    if (metrics == NULL)
        return NULL;
    while (set->chips[n_chips] != NULL)
        n_chips++;
    chips = list_of_names(set->chips, n_chips);
    return Py_BuildValue("(ssNN)", set->name, set->title, chips, metrics);
}

/* sets() -> [(name, title, chips, [(metric, label, description)])] */
static PyObject *sets(PyObject *module, PyObject *ignored)
{
    PyObject *list = PyList_New(0);
    const struct rf_pm_set *set;
    (void)module;
    (void)ignored;
    for (size_t i = 0; list != NULL && (set = rf_pm_set_at(i)) != NULL; i++) {
        PyObject *item = describe_set(set);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static const struct rf_pm_set *find_set(PyObject *name, const rf_pm_chip *chip)
{
    if (name == Py_None)
        return rf_pm_set_of_chip(rf_pm_chip_name(chip));
    const char *text = name_argument(name, "metric_set");
    const struct rf_pm_set *set = text != NULL ? rf_pm_set_named(text) : NULL;
    if (text != NULL && set == NULL)
        PyErr_Format(PyExc_ValueError, "there is no metric set '%s': list_metric_sets() has them",
                     text);
    return set;
}

static PyObject *names_of_choice(const struct rf_pm_choice *choice)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < choice->n_chosen; i++)
        list_add_name(&list, choice->chosen[i]->metric);
    return list;
}

PyObject *choose_for(rf_pm_chip *chip, PyObject *name, int *status, struct rf_pm_error *err)
{
    struct rf_pm_choice *choice = NULL;
    const struct rf_pm_set *set = find_set(name, chip);
    *status = RF_PM_OK;
    if (set == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    *status = rf_pm_choose(chip, set, &choice, err);
    Py_END_ALLOW_THREADS;
    PyObject *result = *status == RF_PM_OK ? names_of_choice(choice) : NULL;
    rf_pm_choice_free(choice);
    return result;
}

/* choose(chip, metric set or None) -> metrics */
static PyObject *choose(PyObject *module, PyObject *args)
{
    struct task task;
    PyObject *chip, *name;
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:choose", &chip, &name) || task_open(&task, chip) != 0)
        return NULL;
    PyObject *result = choose_for(task.chip, name, &status, &task.err);
    return task_close(&task, status, result);
}

/* single_pass(chip, set or None) -> the names of the sets, or the metrics of one */
static PyObject *single_pass(PyObject *module, PyObject *args)
{
    struct task task;
    PyObject *chip, *set;
    const char *const *names, *set_name = NULL;
    size_t n;
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:single_pass", &chip, &set) ||
        (set != Py_None && (set_name = name_argument(set, "metric_set")) == NULL) ||
        task_open(&task, chip) != 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    if (set_name == NULL)
        status = rf_pm_chip_single_pass_sets(task.chip, &names, &n, &task.err);
    else
        status = rf_pm_chip_single_pass_metrics(task.chip, set_name, &names, &n, &task.err);
    Py_END_ALLOW_THREADS;
    return task_close(&task, status, status < 0 ? NULL : list_of_names(names, n));
}

/* ---- The library ---- */

static PyObject *error_name(PyObject *module, PyObject *code)
{
    int number = (int)PyLong_AsLong(code);
    (void)module;
    return PyErr_Occurred() == NULL ? PyUnicode_FromString(rf_pm_cupti_error_name(number)) : NULL;
}

PyMethodDef chip_functions[] = {{"list_chips", list_chips, METH_NOARGS, NULL},
                                {"list_metrics", list_metrics, METH_O, NULL},
                                {"describe", describe, METH_VARARGS, NULL},
                                {"passes", passes, METH_VARARGS, NULL},
                                {"sets", sets, METH_NOARGS, NULL},
                                {"choose", choose, METH_VARARGS, NULL},
                                {"single_pass", single_pass, METH_VARARGS, NULL},
                                {"error_name", error_name, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};
