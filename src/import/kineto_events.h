/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a trace that become ranges and marks. */
#ifndef RF_IMPORT_KINETO_EVENTS_H
#define RF_IMPORT_KINETO_EVENTS_H

#include "import/kineto_load.h"

/* Each takes an event that has a time and a pid, of a phase: X; B and E; b, e, S and F; i, I, R, n.
 * Returns RF_OK or an error. */
int kineto_take_range(struct kineto_load *load, const struct kineto_item *item);
int kineto_take_begin(struct kineto_load *load, const struct kineto_item *item);
int kineto_take_end(struct kineto_load *load, const struct kineto_item *item);
int kineto_take_start(struct kineto_load *load, const struct kineto_item *item);
int kineto_take_stop(struct kineto_load *load, const struct kineto_item *item);
int kineto_take_mark(struct kineto_load *load, const struct kineto_item *item);

#endif
