/* SPDX-License-Identifier: Apache-2.0 */
/* The enumerations of later versions of the schema. */
#ifndef RF_EXPORT_SQLITE_SQLITE_ENUMS_LATE_H
#define RF_EXPORT_SQLITE_SQLITE_ENUMS_LATE_H

#include "export/sqlite/sqlite_enums.h"

extern const struct rf_enum_table rf_enum_tables_late[];

#endif
