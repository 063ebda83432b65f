/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of payloads and counters, registered once per domain and tool. Those of NumPy's
 * structures are made in Python (rangefinder/nvtx/_schemas.py). All are those that the package nvtx
 * registers, so that tools see the same. */
#ifndef RF_NVTX_SCHEMA_H
#define RF_NVTX_SCHEMA_H

#include "nvtx_python.h"

#include <nvtx3/nvToolsExtPayload.h>

#include "domain.h"

/* A value of one of NVTX's types. */
struct plain {
    const char *name; /* NumPy's name of the type: what the schema is found by */
    uint64_t type;    /* NVTX_PAYLOAD_ENTRY_TYPE_... */
    uint64_t flags;
    uint64_t length; /* of text and bytes; else 0 */
    size_t size;     /* in bytes */
};

/* The schema of a value of the type. Returns 0, or -1 with an exception. *id is 0 where the tool
 * takes no schemas. */
int nvtx_plain_schema(struct domain *domain, const struct plain *plain, uint64_t *id);

/* The schema of any number of values of a schema: their number as uint64_t, then the values.
 * Likewise. */
int nvtx_array_schema(struct domain *domain, uint64_t of, uint64_t *id);

/* For _schemas.py: (domain, key) -> id or None */
PyObject *nvtx_find_schema(PyObject *module, PyObject *args);

/* For _schemas.py: (domain, key, flags, size, entries) -> id; entries: a list of (flags, type, name
 * or None, length, offset, semantics or None), semantics being what nvtx_read_semantics() takes. */
PyObject *nvtx_register_schema(PyObject *module, PyObject *args);

/* For _counters.py: (domain, key, path) -> id; found by the key like a schema. */
PyObject *nvtx_register_scope(PyObject *module, PyObject *args);

#endif
