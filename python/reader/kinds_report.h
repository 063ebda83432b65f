/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_REPORT_H
#define RF_READER_KINDS_REPORT_H

#include "with_python.h"

#include "shared_recording.h"

/* Computes the report that the options name; how it is written does not matter. NULL with an
 * exception. */
PyObject *report_rows_new(const struct recording *recording,
                          const struct rf_report_options *options);

/* For the module: the rows of a report, or one of them, as a tuple that pickles; and rows of such a
 * tuple. NULL with an exception. */
PyObject *report_state(PyObject *module, PyObject *object);
PyObject *report_of_state(PyObject *module, PyObject *state);

#endif
