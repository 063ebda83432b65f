/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX_EVENTS. */
#ifndef RF_EXPORT_SQLITE_SQLITE_EVENTS_H
#define RF_EXPORT_SQLITE_SQLITE_EVENTS_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_events(struct rf_sqlite *out);

#endif
