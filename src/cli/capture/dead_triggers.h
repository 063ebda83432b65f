/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers that a killed process left open: they would keep a capture on forever. */
#ifndef RF_CLI_CAPTURE_DEAD_TRIGGERS_H
#define RF_CLI_CAPTURE_DEAD_TRIGGERS_H

#include "log/layout.h"

struct dead_triggers {
    int64_t next_ns; /* when to look again */
};

/* Closes the triggers of processes that have ended; checks at most ten times a second, and only
 * while triggers are open. */
void dead_triggers_close(struct dead_triggers *dead, struct rf_control *control, const char *dir);

#endif
