/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work of a trace. */
#ifndef RF_IMPORT_KINETO_WORK_H
#define RF_IMPORT_KINETO_WORK_H

#include "import/kineto_load.h"

/* Each takes an event that has a time. Returns RF_OK or an error. */
int kineto_take_call(struct kineto_load *load, const struct kineto_item *item,
                     const struct kineto_work *work);
int kineto_take_work(struct kineto_load *load, const struct kineto_item *item,
                     struct kineto_work *work);
int kineto_take_overhead(struct kineto_load *load, const struct kineto_item *item);

/* Gives GPU work its process, track and call. All calls are there. Returns RF_OK or an error. */
int kineto_link_work(struct kineto_load *load);

#endif
