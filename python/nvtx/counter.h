/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: Counter and the types below it. */
#ifndef RF_NVTX_COUNTER_H
#define RF_NVTX_COUNTER_H

#include "nvtx_python.h"

/* A DummyCounter is a counter that no tool was told of; it becomes one of the others, by its dtype,
 * when it is used while a tool is attached. */
extern PyTypeObject nvtx_counter_type, nvtx_int64_counter_type, nvtx_float64_counter_type,
    nvtx_ext_counter_type, nvtx_dummy_counter_type;

/* For _counters.py: (type, domain, name, dtype, description, scope, semantics, time_domain) -> the
 * counter, which is not registered. */
PyObject *nvtx_new_counter(PyObject *module, PyObject *args);

/* For _counters.py: registers a counter if a tool is attached that was not told of it. */
PyObject *nvtx_attach_counter(PyObject *module, PyObject *counter);

/* For _counters.py: (counter, schema, name, description or None, scope, time domain, semantics or
 * None), semantics being what nvtx_read_semantics() takes: tells the tool of a counter. */
PyObject *nvtx_register_counter(PyObject *module, PyObject *args);

/* For _counters.py: the dict of a domain's counters. */
PyObject *nvtx_counters_of(PyObject *module, PyObject *domain);

/* For _counters.py: the type of a counter, of a DummyCounter what it becomes. */
PyObject *nvtx_type_of(PyObject *module, PyObject *counter);

#endif
