/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the recorder of this process waits in standby for sessions: standby_session.c. */
#ifndef RF_RECORD_STANDBY_STANDBY_H
#define RF_RECORD_STANDBY_STANDBY_H

#include "record/recorder.h"

enum rf_standby_wish { RF_STANDBY_NO, RF_STANDBY_YES, RF_STANDBY_DECLINED };

/* What the environment says about this process, or a caller that wants it in standby. */
enum rf_standby_wish rf_standby_wish(void);

/* From now on rf_standby_wish() is RF_STANDBY_YES, whatever the environment says. */
void rf_standby_want(void);

bool rf_standby_open(void);

/* Notes a copy of NVTX that was attached. */
void rf_standby_add_copy(const void *get_table);

#endif
