/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_EXPORT_SQLITE_SQLITE_COUNTERS_H
#define RF_EXPORT_SQLITE_SQLITE_COUNTERS_H

#include "export/sqlite/sqlite_db.h"

/* The counters of NVTX and their samples, in tables of our own: the schema has none. */
void rf_sqlite_write_counters(struct rf_sqlite *out);

#endif
