/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_EVENT_H
#define RF_MODEL_FILTER_FILTER_EVENT_H

#include <stdbool.h>

#include "model/filter/filter.h"

/* Whether a filter keeps an event of a thread and a domain that it keeps, unless its name or its
 * payloads are against it: those are for ranges and marks. */
bool rf_filter_has_event(const struct rf_filter *filter, const struct rf_event *event);

/* Ranges and marks. */
static inline bool rf_filter_is_annotation(const struct rf_event *event)
{
    return event->kind <= RF_EVENT_MARK;
}

#endif
