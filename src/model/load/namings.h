/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions that are shown as events of the thread that called: what named threads,
 * categories and objects, and what destroyed domains. */
#ifndef RF_MODEL_LOAD_NAMINGS_H
#define RF_MODEL_LOAD_NAMINGS_H

#include "model/load/load.h"

/* Adds an event of the thread tid. */
int rf_load_add_naming(struct rf_load *load, uint32_t process, uint32_t tid,
                       const struct rf_event *event);

void rf_load_sort_destroys(struct rf_load *load);

/* Sorts load->naming; done again when more was added. */
void rf_load_sort_namings(struct rf_load *load);

/* When a domain that a range used was destroyed after ns; RF_NO_TIME: it was not. */
int64_t rf_load_destroyed_ns(const struct rf_load *load, uint32_t domain, int64_t ns);

/* How many namings the thread tid of a process called. */
uint32_t rf_load_count_namings(const struct rf_load *load, uint32_t process, uint32_t tid);

#endif
