/* SPDX-License-Identifier: Apache-2.0 */
/* Names are looked up in a table of Python's; the answers stand here by the address of the name. */
#include "nvtx_module.h"

#define N_COLORS 64 /* a power of two */

static struct {
    PyObject *color; /* held */
    uint32_t argb;
} cache[N_COLORS];

static int ask_python(PyObject *color, uint32_t *argb)
{
    PyObject *function = nvtx_helper("color");
    PyObject *number = function != NULL ? PyObject_CallOneArg(function, color) : NULL;
    if (number == NULL)
        return -1;
    *argb = (uint32_t)PyLong_AsUnsignedLongMask(number);
    Py_DECREF(number);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

static int take_number(PyObject *color, uint32_t *argb)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(color, &overflow);
    if (overflow != 0 || value < 0 || value > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "color as an int must be 0xAARRGGBB, of 32 bits");
        return -1;
    }
    *argb = (uint32_t)value;
    return 0;
}

int nvtx_color(PyObject *color, uint32_t *argb)
{
    if (PyLong_CheckExact(color))
        return take_number(color, argb);
    if (!PyUnicode_CheckExact(color))
        return ask_python(color, argb);
    size_t i = ((uintptr_t)color >> 4) & (N_COLORS - 1);
    if (cache[i].color != color) {
        if (ask_python(color, argb) != 0)
            return -1;
        Py_INCREF(color);
        Py_XSETREF(cache[i].color, color);
        cache[i].argb = *argb;
    }
    *argb = cache[i].argb;
    return 0;
}
