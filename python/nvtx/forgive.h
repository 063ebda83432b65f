/* SPDX-License-Identifier: Apache-2.0 */
/* Values that cannot be recorded. */
#ifndef RF_NVTX_FORGIVE_H
#define RF_NVTX_FORGIVE_H

#include "nvtx_python.h"

extern PyObject *nvtx_warning; /* NvtxWarning */

int nvtx_init_warning(void);

/* Clears an exception that a value's own methods raised. Returns 0, or -1 if it is not an
 * Exception, such as KeyboardInterrupt. */
int nvtx_forgive(void);

/* Says with an NvtxWarning, once at each place in the program, what is not recorded; nothing where
 * no tool is attached. Takes what PyUnicode_FromFormat() takes. Returns 0, or -1 with an exception:
 * the program makes warnings errors, or was interrupted. */
int nvtx_warn(const char *format, ...);

/* "payload must be a number, list, bytes or array, not dict: left out" */
int nvtx_warn_type(const char *argument, const char *wanted, PyObject *value, const char *instead);

#endif
