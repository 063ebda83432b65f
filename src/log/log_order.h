/* SPDX-License-Identifier: Apache-2.0 */
/* The parts, definitions and samples of a log in order. */
#ifndef RF_LOG_LOG_ORDER_H
#define RF_LOG_LOG_ORDER_H

#include <stdbool.h>

#include "log/log_builder.h"

/* Sorts parts and samples; of copies the best stays. */
void rf_log_sort(struct rf_log *log);

/* Makes the list of processes from the pieces of definitions and the sorted parts. Returns
 * RF_ERR_NO_MEMORY, or 0. */
int rf_log_list_processes(struct rf_log_builder *b);

/* Whether the part is there. *before: the seq of the last one before it in its stream, or 0. */
bool rf_log_has_part(const struct rf_log *log, const struct rf_log_tail *tail, uint64_t *before);

#endif
