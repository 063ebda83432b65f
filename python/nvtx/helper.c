/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

PyObject *nvtx_helper(const char *name)
{
    static PyObject *module; /* imported when first needed, because it imports this module */
    if (module == NULL)
        module = PyImport_ImportModule("rangefinder.nvtx._helpers");
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(function); /* the module has a reference */
    return function;
}
