/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs the control page of a session whose program overwrites it. */
#ifndef RF_CLI_SESSION_SESSION_MEND_H
#define RF_CLI_SESSION_SESSION_MEND_H

#include <stdbool.h>

#include "session/session_dir.h"

/* Keeps a copy of the new page. Returns false where memory is short. */
bool session_mend_begin(struct session_dir *session);

/* Whether the program has overwritten the page. Counts and captures are not checked. */
bool session_is_spoiled(const struct session_dir *session);

/* Restores the parts of the control page that the program has overwritten, so that the recording
 * can be packed. Returns a message to print, or NULL where nothing was wrong. */
const char *session_mend(const struct session_dir *session);

/* Must be called before the page is unmapped. */
void session_mend_end(void);

#endif
