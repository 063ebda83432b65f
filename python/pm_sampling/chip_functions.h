/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_CHIP_FUNCTIONS_H
#define PYTHON_CHIP_FUNCTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef chip_functions[];

#endif
