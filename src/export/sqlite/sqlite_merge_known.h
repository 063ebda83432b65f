/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an input that the whole has from an earlier file of the same run (sqlite_merge_runs.h):
 * what every file says of a process, its threads, domains, counters and GPUs. */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_KNOWN_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_KNOWN_H

#include "export/sqlite/sqlite_db.h"

/* Finds them, with temp.known and temp.used made. */
void rf_sqlite_known_find(struct rf_sqlite *out);

/* Whether rows of the table may be in the whole, as what an earlier file told of a process or a
 * GPU: those that are there in every column are to be left out. Nothing names rows of the table. */
bool rf_sqlite_known_may_have(const struct rf_sqlite *out, const char *table);

/* Which rows of another table are new: a condition, or nothing. */
const char *rf_sqlite_known_condition(const struct rf_sqlite *out, const char *table);

/* Names of threads make way for those of a newer file. */
void rf_sqlite_known_forget_names(struct rf_sqlite *out);

/* When all tables are copied: what the whole says of processes and threads is of all files. */
void rf_sqlite_known_join(struct rf_sqlite *out, int64_t shift_ns);

#endif
