/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that are open where a file of a run ends. The next one has them too, with their true
 * start: where both are in the whole, they stand there once, with their end. */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_CARRIED_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_CARRIED_H

#include <sqlite3.h>

#include "export/merging.h"

/* Removes them from the whole, in which all inputs are. Returns SQLite's result. */
int rf_sqlite_carried_remove(sqlite3 *db, const struct rf_merging *merging);

#endif
