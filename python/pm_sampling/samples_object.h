/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_SAMPLES_OBJECT_H
#define PYTHON_SAMPLES_OBJECT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rangefinder/pm_sampling.h"

extern PyTypeObject samples_type; /* a rf_pm_data */

/* Takes over data. */
PyObject *samples_object(rf_pm_data *data);

#endif
