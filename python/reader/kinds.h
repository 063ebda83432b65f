/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_H
#define RF_READER_KINDS_H

#include "with_python.h"

/* Completes kinds[], and adds the types of rows to the module. Returns 0, or -1 with an exception.
 */
int kinds_init(PyObject *module);

#endif
