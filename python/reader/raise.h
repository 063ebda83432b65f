/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_RAISE_H
#define RF_READER_RAISE_H

#include "with_python.h"

#include "rangefinder/rangefinder.h"

/* rangefinder.FormatError, which is made when it is first asked for: a borrowed reference, or NULL
 * with an exception. Call it before raise_error(). */
PyObject *raise_format_error_type(void);

/* Sets the exception that an error of the library is. Returns NULL. */
PyObject *raise_error(const struct rf_err *err);
PyObject *raise_no_memory(void);
int raise_no_memory_status(void); /* returns -1 */

#endif
