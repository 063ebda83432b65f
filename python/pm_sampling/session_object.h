/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_SESSION_OBJECT_H
#define PYTHON_SESSION_OBJECT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyTypeObject session_type; /* a rf_pm_collector */

#endif
