/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, devices, contexts, streams. */
#ifndef RF_EXPORT_SQLITE_SQLITE_PLACES_H
#define RF_EXPORT_SQLITE_SQLITE_PLACES_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_places(struct rf_sqlite *out);

#endif
