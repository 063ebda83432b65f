/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_OPENED_H
#define RF_READER_OPENED_H

#include "with_python.h"

extern PyTypeObject opened_type;

/* A function of the module: (iterable of (opened recording, name), path, format, can_overwrite,
 * progress, by_category, gpu_events). */
PyObject *opened_export_several(PyObject *module, PyObject *args);

/* A function of the module: (iterable of (opened recording, name), name of a range or None) to a
 * list of dicts. */
PyObject *opened_align_several(PyObject *module, PyObject *args);

#endif
