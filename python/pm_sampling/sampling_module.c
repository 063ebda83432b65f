/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder._pm_sampling: include/rangefinder/pm_sampling.h for Python.
 * rangefinder/pm_sampling.py, its only user, makes the public module of it. Whatever can take
 * longer than a microsecond or two runs without the GIL. The library locks its objects. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "chip_functions.h"
#include "samples_object.h"
#include "session_object.h"

static int add_type(PyObject *module, PyTypeObject *type)
{
    if (PyType_Ready(type) != 0)
        return -1;
    Py_INCREF((PyObject *)type); /* of the module */
    return PyModule_AddObject(module, strrchr(type->tp_name, '.') + 1, (PyObject *)type);
}

/* CUPTI is there once per process; see also python/reader/reader.c. */
static int init_module(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError, "rangefinder.pm_sampling cannot be used in a "
                                           "sub-interpreter");
        return -1;
    }
    return add_type(module, &session_type) == 0 ? add_type(module, &samples_type) : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, init_module},
#ifdef Py_mod_gil
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rangefinder._pm_sampling",
                                 .m_doc = "GPU counters: see rangefinder.pm_sampling.",
                                 .m_methods = chip_functions, .m_slots = slots};

PyMODINIT_FUNC PyInit__pm_sampling(void);

PyMODINIT_FUNC PyInit__pm_sampling(void)
{
    return PyModuleDef_Init(&definition);
}
