/* SPDX-License-Identifier: Apache-2.0 */
/* The tables RANGEFINDER_*, except for those that are written beside a table of the schema. */
#ifndef RF_EXPORT_SQLITE_SQLITE_OWN_TABLES_H
#define RF_EXPORT_SQLITE_SQLITE_OWN_TABLES_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_own_tables(struct rf_sqlite *out);

#endif
