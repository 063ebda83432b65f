/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line does for this process: log/ask.h. */
#ifndef RF_RECORD_PROCESS_ASK_COMMAND_LINE_H
#define RF_RECORD_PROCESS_ASK_COMMAND_LINE_H

#include "log/ask.h"
#include "record/recorder.h"

/* Asks the command line. fds: the descriptors that it passed, to be closed; -1: none. Returns 0 or
 * a negative errno. */
long rf_ask_command_line(struct rf_ask *ask, int fds[RF_ASK_MAX_FDS]);
void rf_ask_close_fds(int fds[RF_ASK_MAX_FDS]);

#endif
