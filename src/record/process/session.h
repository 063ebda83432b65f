/* SPDX-License-Identifier: Apache-2.0 */
/* Joins a session, or makes one. */
#ifndef RF_RECORD_PROCESS_SESSION_H
#define RF_RECORD_PROCESS_SESSION_H

#include "record/recorder.h"

/* Maps the control page of the session named by RANGEFINDER_SESSION, or makes
 * ./rangefinder-PID.rfdir. False: there is nothing to record into. */
bool rf_session_open(void);

/* In standby: makes a session in a directory that exists, and maps its control page in the place of
 * the one before. */
bool rf_session_make(const char *directory);

/* In standby: puts a control page that says that nothing is recorded in the place of the one
 * before. */
bool rf_session_blank(void);

#endif
