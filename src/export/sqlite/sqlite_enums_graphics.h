/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration tables of the schema that concern graphics. */
#ifndef RF_EXPORT_SQLITE_SQLITE_ENUMS_GRAPHICS_H
#define RF_EXPORT_SQLITE_SQLITE_ENUMS_GRAPHICS_H

#include "export/sqlite/sqlite_enums.h"

extern const struct rf_enum_table rf_enum_tables_graphics[];

#endif
