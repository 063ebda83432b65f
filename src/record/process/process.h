/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a process ready to record. */
#ifndef RF_RECORD_PROCESS_PROCESS_H
#define RF_RECORD_PROCESS_PROCESS_H

#include "record/recorder.h"

struct rf_local;

/* Makes this process ready to record: at the library's start, and in a forked child at its first
 * event. True when it is ready; any thread, any number of times. */
bool rf_process_ensure(void);

/* May a definition be added? In standby always: memory takes it. */
RF_INLINE bool rf_process_can_define(void)
{
    return rf_recorder.is_standby || rf_process_ensure();
}

/* A new set of writers, which is not published. NULL: no memory. */
struct rf_local *rf_process_make_local(void);

/* In standby, between sessions: the writers of this process, which in a forked child are made now.
 * NULL: no memory. */
struct rf_local *rf_process_own_local(void);

#endif
