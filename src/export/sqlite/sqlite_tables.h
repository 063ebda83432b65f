/* SPDX-License-Identifier: Apache-2.0 */
/* The other tables of the schema. */
#ifndef RF_EXPORT_SQLITE_SQLITE_TABLES_H
#define RF_EXPORT_SQLITE_SQLITE_TABLES_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_tables(struct rf_sqlite *out);

#endif
