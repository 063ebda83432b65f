/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_NVTX_PYTHON_H
#define RF_NVTX_NVTX_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030a0000
static inline PyObject *Py_NewRef(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

static inline PyObject *Py_XNewRef(PyObject *object)
{
    Py_XINCREF(object);
    return object;
}
#endif

#endif
