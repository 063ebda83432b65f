/* SPDX-License-Identifier: Apache-2.0 */
/* Packing one capture of a focused run. */
#ifndef RF_LOG_PACK_CAPTURE_H
#define RF_LOG_PACK_CAPTURE_H

#include "log/pack.h"

/* One capture of a focused run as a file of its own: the session may go on. window: its number,
 * from 0; it has ended. *packed (may be NULL) is filled on success. */
int rf_pack_capture(const char *session_dir, const char *output, bool can_overwrite,
                    uint32_t window, struct rf_packed *packed, struct rf_err *err);

#endif
