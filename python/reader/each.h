/* SPDX-License-Identifier: Apache-2.0 */
/* An iterator of Rows and Columns, which several threads may share: each item goes to one of them.
 * Of CPython's own (PySeqIter_New) that is not true where the interpreter has no lock. */
#ifndef RF_READER_EACH_H
#define RF_READER_EACH_H

#include "with_python.h"

extern PyTypeObject each_type;

/* sequence: Rows or a Column. They are looked for when the first item is. */
PyObject *each_new(PyObject *sequence);

#endif
