/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_NESTING_H
#define RF_READER_NESTING_H

#include "with_python.h"

/* Attributes of Range. */
PyObject *range_parent_object(PyObject *self, void *ignored);
PyObject *range_depth_object(PyObject *self, void *ignored);
PyObject *range_children_object(PyObject *self, void *ignored);

#endif
