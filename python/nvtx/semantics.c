/* SPDX-License-Identifier: Apache-2.0 */
#include "semantics.h"

static void read_limit(PyObject *value, int64_t type, nvtxCounterLimit_t *limit)
{
    if (value == Py_None)
        return;
    if (type == NVTX_COUNTER_LIMIT_F64)
        limit->f64 = PyFloat_AsDouble(value);
    else if (type == NVTX_COUNTER_LIMIT_U64)
        limit->u64 = PyLong_AsUnsignedLongLong(value);
    else
        limit->i64 = PyLong_AsLongLong(value);
}

int nvtx_read_semantics(PyObject *numbers, nvtxSemanticsCounter_t *semantics)
{
    PyObject *min, *max;
    unsigned long long flags, numerator, denominator;
    long long limit_type;
    if (!PyArg_ParseTuple(numbers, "KzKKLOO", &flags, &semantics->unit, &numerator, &denominator,
                          &limit_type, &min, &max))
        return -1;
    semantics->header.structSize = sizeof(*semantics);
    semantics->header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    semantics->header.version = NVTX_COUNTER_SEMANTIC_VERSION;
    semantics->header.next = NULL;
    semantics->flags = flags;
    semantics->unitScaleNumerator = numerator;
    semantics->unitScaleDenominator = denominator;
    semantics->limitType = limit_type;
    read_limit(min, limit_type, &semantics->min);
    read_limit(max, limit_type, &semantics->max);
    return PyErr_Occurred() != NULL ? -1 : 0;
}
