/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_WRITE_EVENT_H
#define RF_NVTX_WRITE_EVENT_H

#include "nvtx_python.h"

/* _write_event(function, stream, schema, header, text_schema, text): calls EventWrite of a backend
 * of NVTXW, whose address is given, with one payload, or two where text is not None; its result. */
PyObject *nvtx_write_event(PyObject *module, PyObject *args);

#endif
