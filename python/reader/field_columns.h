/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the fields that model/fields/fields.h describes. */
#ifndef RF_READER_FIELD_COLUMNS_H
#define RF_READER_FIELD_COLUMNS_H

#include "kind.h"

/* A column of kind->fields by its name; it lives as long as the process. NULL: no memory, or there
 * is no such field. */
const struct column *field_column_new(const struct kind *kind, const char *name);

/* Adds a column for each field of kind->fields that kind->field_kinds have and that is not a
 * column yet. Returns 0, or -1 without memory. */
int add_field_columns(struct kind *kind);

#endif
