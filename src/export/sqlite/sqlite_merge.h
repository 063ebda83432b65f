/* SPDX-License-Identifier: Apache-2.0 */
/* Several inputs in one database. Each input is written to a temporary database first, as if it
 * were the only one, but with the machines and the strings of the whole. Then its rows are copied
 * to the whole, with the ids and times that they have beside those of the others. */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_H

#include "export/sqlite/sqlite_db.h"

/* Attaches the database at path, and gets it ready for one more input. out->db is empty. */
void rf_sqlite_merge_begin(struct rf_sqlite *out, const char *path);

/* Copies out->db, which is complete. */
void rf_sqlite_merge_copy(struct rf_sqlite *out);

/* After the last input: removes from the database at path what only merging needs, and ranges that
 * another file of the same run has, too. */
int rf_sqlite_merge_end(const struct rf_merging *merging, const char *path, struct rf_err *err);

#endif
