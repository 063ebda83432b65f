/* SPDX-License-Identifier: Apache-2.0 */
/* Packing one capture of a focused run. */
#ifndef RF_LOG_PACK_CAPTURE_H
#define RF_LOG_PACK_CAPTURE_H

#include "log/pack.h"

/* What is known of a session whose captures are packed one after another: each begins where the one
 * before ended, instead of at the session's start. NULL: out of memory; rf_pack_capture() takes it.
 */
struct rf_captures *rf_captures_new(void);
void rf_captures_free(struct rf_captures *captures);

/* One capture of a focused run as a file of its own: the session may go on. captures: of this
 * session, or NULL. window: its number, from 0; it has ended. *packed (may be NULL) is filled on
 * success. */
int rf_pack_capture(struct rf_captures *captures, const char *session_dir, const char *output,
                    bool can_overwrite, uint32_t window, struct rf_packed *packed,
                    struct rf_err *err);

#endif
