/* SPDX-License-Identifier: Apache-2.0 */
/* Who uses the files of a session in standby.
 *
 * A session's pool is unmapped only when no thread can be in it. A thread marks its writer busy
 * first and reads the word of the captures afterwards; whoever ends a session changes the word
 * first, waits until every processor sees that, and then looks for busy writers. Code that uses the
 * files without a busy writer stands between rf_standby_enter() and rf_standby_leave(), which count
 * it. */
#ifndef RF_RECORD_STANDBY_STANDBY_GATE_H
#define RF_RECORD_STANDBY_STANDBY_GATE_H

#include "record/recorder.h"

struct rf_local;

/* Is a session on? */
bool rf_standby_is_on(void);

/* Around what uses the session's files without a busy writer. NULL: no session is on. */
struct rf_local *rf_standby_enter(void);
void rf_standby_leave(struct rf_local *local);

/* Waits until no thread is in the files of the session that was on. False: one does not leave. */
bool rf_standby_wait_until_quiet(const struct rf_local *local);

/* Around what adds definitions. NULL: they go to memory only. */
struct rf_local *rf_standby_begin_naming(void);
void rf_standby_end_naming(struct rf_local *local);

/* Waits until no thread adds definitions under this set of writers, which is no longer the current
 * one. */
bool rf_standby_wait_for_naming(const struct rf_local *local);

/* Waits until no thread adds definitions, and blocks those that would. False: a thread does not
 * come to an end. */
bool rf_standby_block_naming(void);
void rf_standby_unblock_naming(void);

#endif
