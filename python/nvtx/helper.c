/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

#include "threads.h"

PyObject *nvtx_helper(const char *name)
{
    static PyObject *kept; /* imported when first needed, because it imports this module */
    PyObject *module = nvtx_read_object(&kept);
    if (module == NULL)
        module = nvtx_fill_once(&kept, PyImport_ImportModule("rangefinder.nvtx._helpers"));
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(function); /* the module has a reference */
    return function;
}
