/* SPDX-License-Identifier: Apache-2.0 */
/* The control page of a session whose program spoils it. */
#ifndef RF_CLI_SESSION_SESSION_MEND_H
#define RF_CLI_SESSION_SESSION_MEND_H

#include <stdbool.h>

#include "session/session_dir.h"

/* Remembers what is on the page that was just made. Returns false where memory is short. */
bool session_mend_begin(struct session_dir *session);

/* Whether the program has written over the page. Counts and captures may look as they like. */
bool session_is_spoiled(const struct session_dir *session);

/* Puts right what the program has spoiled of the control page, and with it what it says of the
 * recording's parts, so that these can be packed. Returns what is to be said, or NULL: all is well.
 */
const char *session_mend(const struct session_dir *session);

/* Before the page is unmapped. */
void session_mend_end(void);

#endif
