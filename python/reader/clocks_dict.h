/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_PYTHON_READER_CLOCKS_DICT_H
#define RF_PYTHON_READER_CLOCKS_DICT_H

#include "with_python.h"

#include "rangefinder/clocks.h"

/* What `rangefinder info --json` has as "clocks", as a new dict; NULL with an exception set. */
PyObject *clocks_dict(const rf_recording *rec);

/* Where the clock of a recording is, as rangefinder.align() gives it; likewise. */
PyObject *alignment_dict(const struct rf_alignment *alignment);

#endif
