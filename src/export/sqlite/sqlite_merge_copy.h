/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the tables of an input, out->db, to those of the whole, the attached database "merged". */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_COPY_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_COPY_H

#include "export/sqlite/sqlite_db.h"
#include "export/sqlite/sqlite_merge_columns.h"

void rf_sqlite_copy_tables(struct rf_sqlite *out, const struct rf_merge_offsets *offsets);

#endif
