/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work. */
#ifndef RF_EXPORT_SQLITE_SQLITE_WORK_H
#define RF_EXPORT_SQLITE_SQLITE_WORK_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_work(struct rf_sqlite *out);

#endif
