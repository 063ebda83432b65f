/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the fields that model/fields/fields.h describes. */
#ifndef RF_READER_FIELD_COLUMNS_H
#define RF_READER_FIELD_COLUMNS_H

#include "kind.h"

/* Adds a column for the field of a name of kind->fields, or, without a name, for each that
 * kind->field_kinds have and that is not a column yet. Returns 0, or -1 without memory. */
int field_columns_add(struct kind *kind, const char *name);

#endif
