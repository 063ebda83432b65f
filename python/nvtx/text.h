/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_TEXT_H
#define RF_NVTX_TEXT_H

#include "nvtx_python.h"

/* The text of a message or name as an exact str, a new reference. What is no text is said, and its
 * str() taken; NULL without an exception: that failed. Returns 0, or -1 with an exception. */
int nvtx_text(const char *argument, PyObject *value, PyObject **text);

/* Text for a tool as UTF-8: a new reference to bytes. Lone surrogates become '?'. */
PyObject *nvtx_encode(PyObject *text);

#endif
