/* SPDX-License-Identifier: Apache-2.0 */
/* Files of future processes, made in advance: a process that claims them starts faster, with fewer
 * system calls, which may be all that its sandbox allows. */
#ifndef RF_CLI_DRAIN_SPARES_H
#define RF_CLI_DRAIN_SPARES_H

#include <stdbool.h>

#include "log/layout.h"

/* Makes as many as are missing: two until two processes have taken theirs, then four. Returns
 * false where that fails, as where the disk is full. */
bool cli_spares_make(struct rf_control *control, const char *dir);

/* Removes those that no process has claimed. */
void cli_spares_remove(struct rf_control *control);

/* How many processes have begun to record. */
uint32_t cli_spares_n_started(const struct rf_control *control);

#endif
