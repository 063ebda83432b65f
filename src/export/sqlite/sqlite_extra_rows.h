/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of other kinds, and counters. */
#ifndef RF_EXPORT_SQLITE_SQLITE_EXTRA_ROWS_H
#define RF_EXPORT_SQLITE_SQLITE_EXTRA_ROWS_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_extra_rows(struct rf_sqlite *out);

#endif
