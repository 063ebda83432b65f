/* SPDX-License-Identifier: Apache-2.0 */
#include "write_event.h"

#include <nvtx3/nvToolsExtPayload.h>

typedef int32_t write_function(void *stream, const nvtxPayloadData_t *payloads, size_t n);

PyObject *nvtx_write_event(PyObject *module, PyObject *args)
{
    unsigned long long function, stream, schema, text_schema;
    const char *header, *text;
    Py_ssize_t header_size, text_size;
    (void)module;
    if (!PyArg_ParseTuple(args, "KKKy#Kz#", &function, &stream, &schema, &header, &header_size,
                          &text_schema, &text, &text_size))
        return NULL;
    const nvtxPayloadData_t payloads[] = {{schema, (size_t)header_size, header},
                                          {text_schema, (size_t)text_size, text}};
    write_function *write = (write_function *)(uintptr_t)function;
    return PyLong_FromLong(write((void *)(uintptr_t)stream, payloads, text != NULL ? 2 : 1));
}
