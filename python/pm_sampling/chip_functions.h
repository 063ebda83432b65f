/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_CHIP_FUNCTIONS_H
#define PYTHON_CHIP_FUNCTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rangefinder/pm_sampling.h"

extern PyMethodDef chip_functions[];

/* The metrics of a set (its name, or None) that a chip has, as a list. NULL: *status says the
 * reason (RF_PM_OK: a Python error is set). */
PyObject *choose_for(rf_pm_chip *chip, PyObject *name, int *status, struct rf_pm_error *err);

#endif
