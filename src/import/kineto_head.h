/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around the events of a trace: its members besides traceEvents. */
#ifndef RF_IMPORT_KINETO_HEAD_H
#define RF_IMPORT_KINETO_HEAD_H

#include "import/kineto_load.h"

void kineto_head_init(struct kineto_about *about);

/* Takes a member of the object that the file is; most are passed over. Returns RF_OK or an error.
 */
int kineto_take_member(struct kineto_load *load, const struct kineto_value *key,
                       const struct kineto_value *value);

/* Says in the recording what wrote it, where, and when. Its time 0 is at load->first_ns. */
void kineto_set_session(struct kineto_load *load);

/* Gives the processes, which have their places, their rank, and their GPUs. Returns RF_OK or an
 * error. */
int kineto_set_processes(struct kineto_load *load);

#endif
