/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_EXPORT_SQLITE_SQLITE_LAYOUTS_H
#define RF_EXPORT_SQLITE_SQLITE_LAYOUTS_H

#include "export/sqlite/sqlite_db.h"

/* Writes what payloads are decoded by: NVTX_PAYLOAD_*, RANGEFINDER_NVTX_TYPE_SIZES,
 * RANGEFINDER_NVTX_STRINGS. Rows of an import that stand as they were read are not written. */
void rf_sqlite_write_layouts(struct rf_sqlite *out);

#endif
