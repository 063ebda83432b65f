/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder writes to the control page of its session. */
#ifndef RF_RECORD_PROCESS_SESSION_PAGE_H
#define RF_RECORD_PROCESS_SESSION_PAGE_H

#include "record/recorder.h"

/* Adds a message for the user; the command line prints it. */
void rf_session_add_message(const char *text);

/* Counts this process as one that is not recorded, with the reason as a message; where the control
 * page could not be mapped, in a file of the directory, or through the command line's socket.
 * reason: follows "process 12 "; the system call that failed is added. Returns false. */
bool rf_session_report_failure(const char *reason);

/* Counts what could not be recorded. Any thread, any time. */
void rf_count_lost(uint64_t records, uint64_t bytes);

/* Adds a clock pair, if the page still has room for it beside those of the command line. */
void rf_session_add_clock(void);

#endif
