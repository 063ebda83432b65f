/* SPDX-License-Identifier: Apache-2.0 */
/* Values of counters. */
#ifndef RF_NVTX_NUMBER_H
#define RF_NVTX_NUMBER_H

#include "nvtx_python.h"

/* Converts an int, or what stands for one. Returns 1; 0 if it is none, or too large, which is said
 * of the argument; -1 with an exception. */
int nvtx_int64(PyObject *object, const char *argument, int64_t *value);

/* Converts a float or int, or what stands for one. Likewise. */
int nvtx_float64(PyObject *object, const char *argument, double *value);

/* An int of one digit, as CPython has it: the usual one. False: any other object. */
static inline bool nvtx_small_int(PyObject *object, int64_t *value)
{
    if (!PyLong_CheckExact(object))
        return false;
#if PY_VERSION_HEX >= 0x030c0000
    const PyLongObject *number = (const PyLongObject *)object;
    if (!PyUnstable_Long_IsCompact(number))
        return false;
    *value = PyUnstable_Long_CompactValue(number);
#else
    const Py_ssize_t sign = Py_SIZE(object); /* and the number of digits */
    if (sign < -1 || sign > 1)
        return false;
    *value = sign * (int64_t)((const PyLongObject *)object)->ob_digit[0];
#endif
    return true;
}

#endif
