/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over a session's streams (open_ranges.h) that goes on in the session as it is later. */
#ifndef RF_LOG_OPEN_MOVE_H
#define RF_LOG_OPEN_MOVE_H

#include "log/open_ranges.h"

/* Moves what the walk `from` knows to `to`, whose streams of a later log are listed and not begun.
 * from keeps what is left to be released. Returns RF_OK; RF_ERR_DAMAGED: the later log does not
 * have all that the earlier one had at the same places, and nothing was moved; or RF_ERR_NO_MEMORY.
 */
int rf_open_ranges_move(struct rf_open_ranges *to, struct rf_open_ranges *from);

#endif
