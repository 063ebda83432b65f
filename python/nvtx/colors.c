/* SPDX-License-Identifier: Apache-2.0 */
/* Color names are looked up in a table in Python. The results are cached by the address of the
 * name. */
#include "colors.h"

#include "forgive.h"
#include "helper.h"
#include "nvtx_python.h"
#include "threads.h"

#define N_COLORS 64 /* a power of two */

static struct {
    PyObject *color;  /* a reference */
    PyObject *answer; /* the color as int, or as str the reason why it is none */
    uint32_t argb;
} cache[N_COLORS];

/* The color as int, or as str the reason why it is none; NULL with an exception. */
static PyObject *ask_python(PyObject *color)
{
    PyObject *function = nvtx_helper("color_or_reason");
    return function != NULL ? PyObject_CallOneArg(function, color) : NULL;
}

/* Returns 1 if it is a number; 0 if not, after a warning; -1 with an exception. */
static int read_answer(PyObject *answer, uint32_t *argb)
{
    if (answer == NULL)
        return nvtx_forgive(); /* the interpreter is shutting down: nothing can be imported */
    if (PyUnicode_Check(answer))
        return nvtx_warn("%U: left out", answer);
    *argb = (uint32_t)PyLong_AsUnsignedLongMask(answer);
    return 1;
}

static int read_number(PyObject *color, uint32_t *argb)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(color, &overflow);
    if (overflow != 0 || value < 0 || value > UINT32_MAX)
        return nvtx_warn("color as an int must be 0xAARRGGBB, of 32 bits: left out");
    *argb = (uint32_t)value;
    return 1;
}

/* Without the GIL: the answers by name, none of which is taken out. */
static PyObject *answers;

#define MAX_ANSWERS 1024

/* A name, without the GIL. */
static int look_up_shared(PyObject *color, uint32_t *argb)
{
    PyObject *known = nvtx_read_object(&answers);
    if (known == NULL)
        known = nvtx_fill_once(&answers, PyDict_New());
    if (known == NULL)
        return -1;
    PyObject *answer = PyDict_GetItemWithError(known, color);
    if (answer != NULL || PyErr_Occurred())
        return answer != NULL ? read_answer(answer, argb) : -1;
    answer = ask_python(color);
    int status = read_answer(answer, argb);
    if (answer != NULL && PyDict_Size(known) < MAX_ANSWERS &&
        PyDict_SetDefault(known, color, answer) == NULL)
        status = -1;
    Py_XDECREF(answer);
    return status;
}

/* A name that is not in the cache. */
static int look_up(PyObject *color, size_t i, uint32_t *argb)
{
    PyObject *answer = ask_python(color);
    int status = read_answer(answer, argb);
    if (answer != NULL) {
        cache[i].argb = status > 0 ? *argb : 0;
        Py_XSETREF(cache[i].answer, Py_NewRef(answer));
        Py_XSETREF(cache[i].color, Py_NewRef(color));
    }
    Py_XDECREF(answer);
    return status;
}

int nvtx_color(PyObject *color, uint32_t *argb)
{
    if (PyLong_CheckExact(color))
        return read_number(color, argb);
    if (!PyUnicode_CheckExact(color)) {
        PyObject *answer = ask_python(color);
        int status = read_answer(answer, argb);
        Py_XDECREF(answer);
        return status;
    }
    if (!PYTHON_HAS_GIL)
        return look_up_shared(color, argb);
    size_t i = ((uintptr_t)color >> 4) & (N_COLORS - 1);
    if (cache[i].color != color)
        return look_up(color, i, argb);
    *argb = cache[i].argb;
    return PyLong_CheckExact(cache[i].answer) ? 1 : read_answer(cache[i].answer, argb);
}
