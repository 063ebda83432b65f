/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_RAISE_PM_ERROR_H
#define PYTHON_RAISE_PM_ERROR_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rangefinder/pm_sampling.h"

/* Raises the exception of the error's status. Returns NULL. */
PyObject *raise_pm_error(const struct rf_pm_error *err);

#endif
