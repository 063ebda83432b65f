/* SPDX-License-Identifier: Apache-2.0 */
/* RANGEFINDER_*, except for the notes on NVTX_EVENTS. */
#ifndef RF_EXPORT_SQLITE_SQLITE_EXTRA_H
#define RF_EXPORT_SQLITE_SQLITE_EXTRA_H

#include "export/sqlite/sqlite_db.h"

void rf_sqlite_write_extra(struct rf_sqlite *out);

#endif
