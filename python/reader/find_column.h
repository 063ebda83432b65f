/* SPDX-License-Identifier: Apache-2.0 */
/* Columns by name: those of a kind, and those that the payloads of a recording make. */
#ifndef RF_READER_FIND_COLUMN_H
#define RF_READER_FIND_COLUMN_H

#include "payload_columns.h"
#include "with_python.h"

#define PAYLOAD_PREFIX "payload."

/* The columns of payloads that rows of a kind have, which are looked for when they are first
 * needed. Releases the GIL meanwhile. Returns 0, *columns may be NULL; or -1 with an exception. */
int find_payload_columns(const struct recording *recording, const struct kind *kind,
                         const struct payload_columns **columns);

/* The column of a name; NULL where there is none, or with an exception. */
const struct column *find_column(const struct recording *recording, const struct kind *kind,
                                 const char *name);

/* Sets an exception: there is no such column, and which there are. Returns NULL. */
PyObject *find_column_raise(const struct recording *recording, const struct kind *kind,
                            PyObject *exception, PyObject *name);

#endif
