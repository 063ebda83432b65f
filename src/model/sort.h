/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_SORT_H
#define RF_MODEL_SORT_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

/* Sorts events by start; those that start together stay in their order. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int rf_sort_events(struct rf_event *event, size_t n);

/* Sorts events that start together: the longest first. */
int rf_sort_enclosing(struct rf_event *event, size_t n);

/* Sorts events by start; of those that start together the longest is first. */
int rf_sort_nested(struct rf_event *event, size_t n);

#endif
