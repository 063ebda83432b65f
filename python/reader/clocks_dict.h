/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_PYTHON_READER_CLOCKS_DICT_H
#define RF_PYTHON_READER_CLOCKS_DICT_H

#include "with_python.h"

#include "rangefinder/rangefinder.h"

/* What `rangefinder info --json` has as "clocks", as a new dict; NULL with an exception set. */
PyObject *clocks_dict(const rf_recording *rec);

#endif
